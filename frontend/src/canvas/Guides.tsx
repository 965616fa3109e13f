import { ViewportPortal } from "@xyflow/react";
import c from "./canvas.module.css";
import { useEditor } from "./store";

/** Lines that show what a card being put freely is in line with. */
export function Guides() {
  const guides = useEditor((s) => s.guides);
  if (!guides) return null;
  return (
    <ViewportPortal>
      {guides.map((g) => (
        <div
          key={`${g.axis}${g.at}`}
          className={c.guide}
          data-testid="guide"
          style={
            g.axis === "x"
              ? { transform: `translate(${g.at}px, ${g.from}px)`, width: 1, height: g.to - g.from }
              : { transform: `translate(${g.from}px, ${g.at}px)`, height: 1, width: g.to - g.from }
          }
        />
      ))}
    </ViewportPortal>
  );
}
