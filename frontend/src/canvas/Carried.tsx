import { useStore } from "zustand";
import c from "./canvas.module.css";
import { carried } from "./dragging";
import { useEditor } from "./store";

/** What the pointer carries, beside it. */
export function Carried() {
  const title = useEditor((s) => (s.drag?.free ? undefined : s.drag?.title));
  const { x, y } = useStore(carried);
  if (!title) return null;
  return (
    <div className={`${c.carried} ${c.float}`} style={{ transform: `translate(${x + 12}px, ${y + 10}px)` }}>
      <span className="cut">{title}</span>
    </div>
  );
}
