import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import c from "./canvas.module.css";

/** Canvas pixels from dot to dot. */
const gap = 22;

/**
 * The dots of the ground. They are painted once and pushed about: a pattern that is painted anew for every frame of a pan
 * costs more than all the cards.
 */
export function Dots() {
  const ref = useRef<HTMLDivElement>(null);
  const flow = useStoreApi();
  useEffect(() => {
    let painted = 0;
    const follow = ([x, y, zoom]: [number, number, number]) => {
      const el = ref.current;
      if (!el) return;
      let step = gap * zoom;
      while (step < 14) step *= 2; // far away fewer dots, not a grey ground
      if (step !== painted) {
        painted = step;
        el.style.backgroundSize = `${step}px ${step}px`;
        el.style.inset = `${-step}px`;
      }
      el.style.transform = `translate(${x % step}px, ${y % step}px)`;
    };
    follow(flow.getState().transform);
    return flow.subscribe((s) => follow(s.transform));
  }, [flow]);
  return <div ref={ref} className={c.dots} />;
}
