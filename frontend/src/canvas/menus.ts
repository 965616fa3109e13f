import { type EditorStore, select, set } from "./store";

/** What each menu offers, by the names of commands; "-" is a line between. */
export const menus = {
  step: [
    "open",
    "add",
    "add-before",
    "-",
    "move",
    "copy",
    "cut",
    "duplicate",
    "off",
    "wrap",
    "template",
    "-",
    "choose-below",
    "remove",
  ],
  /** Of a line in the outline: of a step, of what nothing leads into, of the start. */
  line: ["open", "add", "add-before", "-", "move", "copy", "duplicate", "off", "-", "remove"],
  root: ["open", "copy", "duplicate", "-", "remove"],
  start: ["open", "add", "test-event"],
  inspector: ["move", "copy", "cut", "duplicate", "off", "template", "-", "choose-below", "remove"],
  ground: ["paste", "note", "-", "choose-all", "fit", "direction", "free", "tidy", "-", "find", "shortcuts"],
  edge: ["add", "paste", "end-path"],
  /** What is done to several steps, in the bar above them. */
  several: ["move", "copy", "duplicate", "off", "wrap", "template", "remove"],
  funnel: ["test-event", "versions", "why", "-", "palette", "direction", "free", "tidy", "-", "shortcuts"],
} as const;

/** Opens the menu of what was pressed with the right button, or of the chosen steps. */
export function openMenu(
  store: EditorStore,
  e: Pick<React.MouseEvent, "clientX" | "clientY" | "preventDefault">,
  on: "step" | "ground" | "edge",
  step?: string,
): void {
  const s = store.getState();
  if (s.proposal) return;
  e.preventDefault();
  if (step && !s.selection.includes(step)) select(store, [step]);
  set(store, { picker: undefined, dialog: { kind: "menu", on, x: e.clientX, y: e.clientY } });
}

/** How long a finger stays until it means the menu, and how far it may tremble. */
const held = { ms: 500, px: 10 };

/** A finger that stays on a card opens its menu: not every touch screen tells of that by itself. */
export function menuWhenHeld(store: EditorStore, e: React.PointerEvent, step: string): void {
  if (e.pointerType !== "touch" || !e.isPrimary) return;
  const { clientX, clientY } = e;
  const wait = window.setTimeout(() => {
    end();
    // Lifting the finger must not press what lies under it: that would close the menu again.
    window.addEventListener("touchend", (ev) => ev.preventDefault(), { capture: true, passive: false, once: true });
    openMenu(store, { clientX, clientY, preventDefault: () => undefined }, "step", step);
  }, held.ms);
  const onMove = (ev: PointerEvent) => {
    if (!ev.isPrimary || Math.hypot(ev.clientX - clientX, ev.clientY - clientY) > held.px) end();
  };
  const end = () => {
    window.clearTimeout(wait);
    for (const [type, listener] of listeners) window.removeEventListener(type, listener as EventListener);
  };
  const listeners = [
    ["pointermove", onMove],
    ["pointerup", end],
    ["pointercancel", end],
    ["pointerdown", (ev: PointerEvent) => ev.pointerId !== e.pointerId && end()], // a second finger is a pinch
  ] as const;
  for (const [type, listener] of listeners) window.addEventListener(type, listener as EventListener);
}
