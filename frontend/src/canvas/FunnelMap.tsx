import { useLingui } from "@lingui/react/macro";
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { memo, useDeferredValue, useEffect, useMemo, useRef } from "react";
import c from "./canvas.module.css";
import type { Box, Picture } from "./layout";
import { useEditor } from "./store";
import type { Problem, Step } from "./types";

const size = { width: 168, height: 84, margin: 6 };

/** Where the picture lies on the map: its scale, and the map's pixel of the canvas' origin. */
function scaleOf(bounds: Box): { scale: number; x: number; y: number } {
  const scale = Math.min(
    (size.width - 2 * size.margin) / Math.max(bounds.width, 1),
    (size.height - 2 * size.margin) / Math.max(bounds.height, 1),
    0.2,
  );
  return {
    scale,
    x: size.width / 2 - (bounds.x + bounds.width / 2) * scale,
    y: size.height / 2 - (bounds.y + bounds.height / 2) * scale,
  };
}

/**
 * The funnel in small, with a frame around what is in sight. Dragging moves the sight, the wheel zooms. The steps are
 * painted when the funnel changes, never because the sight moves.
 */
export function FunnelMap() {
  const { t } = useLingui();
  const store = useStoreApi();
  const flow = useReactFlow();
  const bounds = useEditor((s) => s.picture.bounds);
  const frame = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const { scale, x, y } = scaleOf(bounds);
    const follow = ({
      transform,
      width,
      height,
    }: {
      transform: [number, number, number];
      width: number;
      height: number;
    }) => {
      const el = frame.current;
      if (!el) return;
      const [tx, ty, zoom] = transform;
      el.style.transform = `translate(${x - (tx / zoom) * scale}px, ${y - (ty / zoom) * scale}px)`;
      el.style.width = `${(width / zoom) * scale}px`;
      el.style.height = `${(height / zoom) * scale}px`;
    };
    follow(store.getState());
    return store.subscribe(follow);
  }, [store, bounds]);

  useEffect(() => {
    const el = ground.current;
    if (!el) return;
    // A wheel that zooms must not scroll the page, which only a listener that is not passive can refuse.
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      void flow.zoomTo(flow.getZoom() * (e.deltaY < 0 ? 1.1 : 1 / 1.1));
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  }, [flow]);

  const look = (e: React.PointerEvent) => {
    const box = ground.current?.getBoundingClientRect();
    if (!box) return;
    const { scale, x, y } = scaleOf(bounds);
    const zoom = flow.getZoom();
    void flow.setCenter((e.clientX - box.left - x) / scale, (e.clientY - box.top - y) / scale, { zoom });
  };
  return (
    <div
      ref={ground}
      className={c.small}
      role="img"
      aria-label={t`Map of the funnel`}
      style={{ width: size.width, height: size.height }}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        look(e);
      }}
      onPointerMove={(e) => {
        if (e.buttons === 1) look(e);
      }}
    >
      <Steps />
      <div ref={frame} className={c.frame} />
    </div>
  );
}

interface Drawn {
  picture: Picture;
  nodes: Step[];
  problems: ReadonlyMap<string, Problem[]>;
}

/** The steps, painted once what was changed stands on the canvas: the map is not what somebody waits for. */
function Steps() {
  const picture = useEditor((s) => s.picture);
  const nodes = useEditor((s) => s.shown.graph.nodes);
  const problems = useEditor((s) => s.problemsBy);
  const now = useMemo(() => ({ picture, nodes, problems }), [picture, nodes, problems]);
  const painted = useDeferredValue<Drawn | undefined>(now, undefined);
  return painted ? <Painted {...painted} /> : null;
}

const Painted = memo(function Painted({ picture, nodes, problems }: Drawn) {
  const catalogue = useEditor((s) => s.catalogue);
  const { scale, x, y } = scaleOf(picture.bounds);
  return (
    <svg width={size.width} height={size.height} aria-hidden="true">
      <g transform={`translate(${x} ${y}) scale(${scale})`}>
        {nodes.map((n) => {
          const box = picture.steps.get(n.id);
          if (!box) return null;
          const wrong = problems.get(n.id)?.some((p) => p.severity === "error");
          return (
            <rect
              key={n.id}
              {...box}
              rx={10}
              fill={wrong ? "var(--error)" : `var(--${catalogue.kind(n.kind).family})`}
            />
          );
        })}
      </g>
    </svg>
  );
});
