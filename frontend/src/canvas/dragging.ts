import { createStore } from "zustand/vanilla";
import { insert, move } from "./commands";
import type { Slot } from "./document";
import { linkAt, stepById } from "./ports";
import { allSlots, refuseKind, refuseMove, slotsFor } from "./slots";
import { type EditorStore, set } from "./store";

/** Where the pointer carries something, apart from the editor's state: it moves far more often than anything else. */
export const carried = createStore<{ x: number; y: number }>(() => ({ x: 0, y: 0 }));

const threshold = 5;
const reach = 56;

/** What is carried: a step of the funnel, or a kind from the palette. */
export interface Load {
  step?: string;
  kind?: string;
  title: string;
}

/**
 * Follows the pointer from a press until it is released, for mouse and pen; on touch screens cards are moved by menu.
 * Legal slots light up, the nearest one within reach takes the drop, Esc puts everything back.
 */
export function startDrag(store: EditorStore, e: React.PointerEvent, load: Load): void {
  const s = store.getState();
  if (e.button !== 0 || e.pointerType === "touch" || s.proposal || s.simulation) return;
  if (load.kind && refuseKind(s.doc, s.catalogue, load.kind)) return;
  const start = { x: e.clientX, y: e.clientY };
  let dragging = false;
  const slots = load.step ? slotsFor(s.doc, s.catalogue, load.step) : allSlots(s.doc, s.catalogue);

  const onMove = (ev: PointerEvent) => {
    if (!dragging && Math.hypot(ev.clientX - start.x, ev.clientY - start.y) < threshold) return;
    if (!dragging && slots.length === 0) return;
    document.getSelection()?.removeAllRanges();
    carried.setState({ x: ev.clientX, y: ev.clientY });
    const over = nearest(slots, ev.clientX, ev.clientY);
    const before = store.getState().drag?.over;
    if (!dragging || over?.from !== before?.from || over?.port !== before?.port)
      set(store, { drag: { ...load, slots, ...(over ? { over } : {}) } });
    dragging = true;
    pan(store, ev);
  };
  const onUp = (ev: PointerEvent) => {
    end();
    if (!dragging) return;
    swallowClick();
    const over = nearest(slots, ev.clientX, ev.clientY);
    if (over && load.kind) insert(store, load.kind, over);
    else if (over && load.step) drop(store, load.step, over, ev);
  };
  const onKey = (ev: KeyboardEvent) => {
    if (ev.key !== "Escape") return;
    ev.stopPropagation();
    end();
  };
  const end = () => {
    window.removeEventListener("pointermove", onMove);
    window.removeEventListener("pointerup", onUp);
    window.removeEventListener("pointercancel", end);
    window.removeEventListener("keydown", onKey, true);
    set(store, { drag: undefined });
  };
  window.addEventListener("pointermove", onMove);
  window.addEventListener("pointerup", onUp);
  window.addEventListener("pointercancel", end);
  window.addEventListener("keydown", onKey, true);
}

/** Near an edge of the canvas the canvas comes along. */
function pan(store: EditorStore, e: PointerEvent): void {
  const box = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!box) return;
  const push = (at: number, from: number, to: number) => (at < from + 40 ? 14 : at > to - 40 ? -14 : 0);
  const [x, y] = [push(e.clientX, box.left, box.right), push(e.clientY, box.top, box.bottom)];
  if (x || y) store.getState().camera?.pan(x, y);
}

/** The click that the browser sends after a drop must not select or open anything. */
function swallowClick(): void {
  const stop = (e: MouseEvent) => {
    e.stopPropagation();
    e.preventDefault();
  };
  window.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", stop, { capture: true }), 0);
}

function drop(store: EditorStore, step: string, slot: Slot, e: PointerEvent): void {
  const s = store.getState();
  const alone = !refuseMove(s.doc, s.catalogue, step, slot, "alone");
  const below = !refuseMove(s.doc, s.catalogue, step, slot, "below");
  const node = stepById(s.doc.graph, step);
  const hasBelow = node ? s.doc.graph.edges.some((l) => l.from === step) : false;
  if (alone && below && hasBelow && !e.altKey) {
    const after = linkAt(s.doc.graph, slot.from, slot.port)?.to;
    if (after !== step) set(store, { dialog: { kind: "drop", step, slot, x: e.clientX, y: e.clientY } });
    return;
  }
  if (below && (e.altKey || !alone)) move(store, step, slot, "below");
  else if (alone) move(store, step, slot, "alone");
}

function nearest(slots: Slot[], x: number, y: number): Slot | undefined {
  let best: Slot | undefined;
  let distance = reach;
  for (const slot of slots) {
    const box = document.querySelector(`[data-slot="${slot.from}/${slot.port}"]`)?.getBoundingClientRect();
    if (!box) continue;
    const d = Math.hypot(x - (box.x + box.width / 2), y - (box.y + box.height / 2));
    if (d < distance) {
      distance = d;
      best = slot;
    }
  }
  return best;
}
