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
  start: ["open", "add"],
  inspector: ["move", "copy", "cut", "duplicate", "off", "template", "-", "choose-below", "remove"],
  ground: ["paste", "note", "-", "choose-all", "fit", "direction", "free", "tidy", "-", "find", "shortcuts"],
  edge: ["add", "paste", "end-path"],
  /** What is done to several steps, in the bar above them. */
  several: ["move", "copy", "duplicate", "off", "wrap", "template", "remove"],
  funnel: ["versions", "why", "-", "palette", "direction", "free", "tidy", "-", "shortcuts"],
} as const;

/** Opens the menu of what was pressed with the right button, or of the chosen steps. */
export function openMenu(store: EditorStore, e: React.MouseEvent, on: "step" | "ground" | "edge", step?: string): void {
  const s = store.getState();
  if (s.proposal) return;
  e.preventDefault();
  if (step && !s.selection.includes(step)) select(store, [step]);
  set(store, { picker: undefined, dialog: { kind: "menu", on, x: e.clientX, y: e.clientY } });
}
