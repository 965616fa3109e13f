import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import c from "./canvas.module.css";
import { swallowClick } from "./dragging";
import { type EditorStore, select } from "./store";

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const lasso = createStore<{ box?: Box | undefined }>(() => ({}));

/** Shift and a drag over the ground draw a box; the cards it touches are chosen, besides those that are. */
export function startLasso(store: EditorStore, e: React.PointerEvent): void {
  const target = e.target as Element;
  if (!e.shiftKey || e.button !== 0 || !target.classList.contains("react-flow__pane")) return;
  const ground = e.currentTarget.getBoundingClientRect();
  const start = { x: e.clientX, y: e.clientY };
  const before = store.getState().selection;
  e.stopPropagation();
  e.preventDefault();
  const boxTo = (ev: PointerEvent): Box => ({
    left: Math.min(start.x, ev.clientX),
    top: Math.min(start.y, ev.clientY),
    right: Math.max(start.x, ev.clientX),
    bottom: Math.max(start.y, ev.clientY),
  });
  const onMove = (ev: PointerEvent) => {
    const box = boxTo(ev);
    lasso.setState({
      box: {
        left: box.left - ground.left,
        top: box.top - ground.top,
        right: box.right - ground.left,
        bottom: box.bottom - ground.top,
      },
    });
  };
  const end = () => {
    window.removeEventListener("pointermove", onMove);
    window.removeEventListener("pointerup", onUp);
    window.removeEventListener("keydown", onKey, true);
    lasso.setState({ box: undefined });
  };
  const onUp = (ev: PointerEvent) => {
    const box = boxTo(ev);
    end();
    swallowClick();
    if (box.right - box.left < 4 && box.bottom - box.top < 4) return;
    const touched = store.getState().picture.structure.order.filter((id) => touches(id, box));
    select(store, [...before, ...touched.filter((id) => !before.includes(id))]);
  };
  const onKey = (ev: KeyboardEvent) => {
    if (ev.key !== "Escape") return;
    ev.stopPropagation();
    end();
  };
  window.addEventListener("pointermove", onMove);
  window.addEventListener("pointerup", onUp);
  window.addEventListener("keydown", onKey, true);
}

function touches(id: string, box: Box): boolean {
  const r = document.querySelector(`[data-testid="step-${CSS.escape(id)}"]`)?.getBoundingClientRect();
  return r !== undefined && r.left < box.right && r.right > box.left && r.top < box.bottom && r.bottom > box.top;
}

export function Lasso() {
  const box = useStore(lasso, (s) => s.box);
  if (!box) return null;
  const { left, top, right, bottom } = box;
  return <div className={c.lasso} style={{ left, top, width: right - left, height: bottom - top }} />;
}
