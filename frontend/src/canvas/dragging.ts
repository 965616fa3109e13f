import { createStore } from "zustand/vanilla";
import type { Slot } from "./document";
import { insert, move, moveTogether } from "./edits";
import { placingOf } from "./placing";
import { linkAt, stepById } from "./ports";
import { placesFor } from "./region";
import { refuseKind, refuseMove, slotsFor, slotsForKind } from "./slots";
import { type EditorStore, set } from "./store";

/** Where the pointer carries something, apart from the editor's state: it moves far more often than anything else. */
export const carried = createStore<{ x: number; y: number }>(() => ({ x: 0, y: 0 }));

const threshold = 5;
const reach = 56;
/** In a free picture a card may stand near a '+' without being meant for it. */
const reachWhileFree = 18;

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
  const together = load.step !== undefined && s.selection.length > 1 && s.selection.includes(load.step);
  const free = load.step !== undefined && s.doc.layout.free === true;
  const slots = load.kind
    ? slotsForKind(s.doc, s.catalogue, load.kind)
    : together
      ? placesFor(s.doc, s.catalogue, s.selection)
      : slotsFor(s.doc, s.catalogue, load.step ?? "");
  const placing = free && load.step ? placingOf(store, load.step) : undefined;
  const within = free ? reachWhileFree : reach;
  const edge = scrollAtEdge(store, () => placing && put(last));
  let last = start;
  const put = (at: { x: number; y: number }) => {
    const zoom = store.getState().camera?.scale() ?? 1;
    const { panned } = edge;
    placing?.moveTo((at.x - start.x - panned.x) / zoom, (at.y - start.y - panned.y) / zoom);
  };

  const onMove = (ev: PointerEvent) => {
    if (!dragging && Math.hypot(ev.clientX - start.x, ev.clientY - start.y) < threshold) return;
    if (!dragging && slots.length === 0 && !placing) return;
    document.getSelection()?.removeAllRanges();
    last = { x: ev.clientX, y: ev.clientY };
    carried.setState(last);
    const over = nearest(slots, ev.clientX, ev.clientY, within);
    const before = store.getState().drag?.over;
    if (!dragging || over?.from !== before?.from || over?.port !== before?.port)
      set(store, { drag: { ...load, free, slots, ...(over ? { over } : {}) } });
    dragging = true;
    put(last);
    edge.at(last);
  };
  const onUp = (ev: PointerEvent) => {
    const over = dragging ? nearest(slots, ev.clientX, ev.clientY, within) : undefined;
    if (dragging && !over) placing?.drop();
    end();
    if (!dragging) return;
    swallowClick();
    if (over && load.kind) insert(store, load.kind, over);
    else if (over && together) moveTogether(store, s.selection, over);
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
    edge.stop();
    placing?.cancel();
    set(store, { drag: undefined });
  };
  window.addEventListener("pointermove", onMove);
  window.addEventListener("pointerup", onUp);
  window.addEventListener("pointercancel", end);
  window.addEventListener("keydown", onKey, true);
}

/** While the pointer rests near an edge of the canvas, the canvas comes along, frame by frame. */
function scrollAtEdge(store: EditorStore, after: () => void) {
  const margin = 40;
  const panned = { x: 0, y: 0 };
  let frame = 0;
  let pointer: { x: number; y: number } | undefined;
  const push = (at: number, from: number, to: number) => (at < from + margin ? 12 : at > to - margin ? -12 : 0);
  const step = () => {
    frame = 0;
    const box = document.querySelector("[data-canvas]")?.getBoundingClientRect();
    if (!box || !pointer) return;
    const [x, y] = [push(pointer.x, box.left, box.right), push(pointer.y, box.top, box.bottom)];
    if (!x && !y) return;
    store.getState().camera?.pan(x, y);
    panned.x += x;
    panned.y += y;
    after();
    frame = requestAnimationFrame(step);
  };
  return {
    panned,
    at: (p: { x: number; y: number }) => {
      pointer = p;
      if (!frame) frame = requestAnimationFrame(step);
    },
    stop: () => {
      pointer = undefined;
      cancelAnimationFrame(frame);
    },
  };
}

/** The click that the browser sends in the same task as the release must not select or open anything, however slow that task is. */
export function swallowClick(): void {
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

function nearest(slots: Slot[], x: number, y: number, within: number): Slot | undefined {
  let best: Slot | undefined;
  let distance = within;
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
