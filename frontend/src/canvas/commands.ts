import type { MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import {
  connect,
  creativeSlug,
  duplicateStep,
  insertRoot,
  insertStep,
  moveStep,
  type RemoveHow,
  removedBy,
  removeStep,
  type Slot,
  toggleOff,
} from "./document";
import { titleOf, viewOfKind } from "./kinds";
import { lookOf, rankOf } from "./look";
import { linkAt, portsOf, stepById } from "./ports";
import { refuseKind, refuseMove } from "./slots";
import { apply, type EditorState, type EditorStore, redo, say, select, set, undo } from "./store";
import { type Direction, neighbour } from "./walk";
import { word } from "./words";

/** Adds a step: the '+' button, a drop from the palette, the key A, menus and the outline all end here. */
export function insert(store: EditorStore, kind: string, slot?: Slot): string | undefined {
  const s = store.getState();
  const spec = s.catalogue.kind(kind);
  if (s.proposal || refuseKind(s.doc, s.catalogue, kind) || (!slot && !spec.no_in)) return undefined;
  let id = "";
  const title = word(`kind.${kind}.title`, spec.title);
  apply(store, t`add “${title}”`, (doc) => {
    id = spec.no_in || !slot ? insertRoot(doc, s.catalogue, kind) : insertStep(doc, s.catalogue, slot, kind);
  });
  const step = stepById(store.getState().doc.graph, id);
  const grace = spec.fields.some((f) => f.required) && step;
  set(store, { picker: undefined, ...(grace ? { fresh: new Set([...s.fresh, id]) } : {}) });
  select(store, [id]);
  say(store, t`Added: ${title}`);
  // The next thing to do is to write the message; every other kind is read on its card first.
  if (step && creativeSlug(step)) wish(store, id, "creative.subject");
  requestAnimationFrame(() => {
    store.getState().camera?.centre(id, "if-hidden");
    if (!step || !creativeSlug(step)) focusStep(id);
  });
  return id;
}

/** Puts the keyboard's focus on a card. */
export function focusStep(id: string): void {
  document.querySelector<HTMLElement>(`[data-testid="step-${id}"]`)?.focus({ preventScroll: true });
}

/** Leads a way out to an existing step. */
export function leadTo(store: EditorStore, slot: Slot, to: string | undefined): void {
  const s = store.getState();
  const target = to ? stepById(s.doc.graph, to) : undefined;
  const label = target ? t`lead to “${titleOf(target, s.catalogue, s.doc)}”` : t`end the path here`;
  apply(store, label, (doc) => connect(doc, slot, to));
  set(store, { picker: undefined });
  say(store, label);
}

/** Removes steps. A fork with something below asks which branch to keep first. */
export function remove(store: EditorStore, id: string, how?: RemoveHow): void {
  const s = store.getState();
  const step = stepById(s.doc.graph, id);
  if (!step || s.catalogue.kind(step.kind).single || s.proposal) return;
  const ways = portsOf(s.catalogue, step);
  const linked = ways.filter((p) => linkAt(s.doc.graph, id, p.id));
  if (!how && ways.length > 1 && linked.length > 0) {
    set(store, { dialog: { kind: "delete", step: id } });
    return;
  }
  const title = titleOf(step, s.catalogue, s.doc);
  const count = removedBy(s.doc.graph, id, how ?? { keep: ways[0]?.id ?? "" }).size;
  const label = count > 1 ? t`remove “${title}” and ${count - 1} more` : t`remove “${title}”`;
  const before = neighbour(s.picture.structure, id, "up");
  apply(store, label, (doc) => removeStep(doc, s.catalogue, id, how));
  set(store, { dialog: undefined });
  select(store, before ? [before] : []);
  if (before) requestAnimationFrame(() => focusStep(before));
  say(store, t`Removed: ${title}`);
  removed?.(title, store);
}

let removed: ((title: string, store: EditorStore) => void) | undefined;

/** Who shows the toast with Undo after a removal. */
export function onRemoved(show: typeof removed): void {
  removed = show;
}

export function move(store: EditorStore, id: string, slot: Slot, how: "alone" | "below"): void {
  const s = store.getState();
  const step = stepById(s.doc.graph, id);
  if (!step || refuseMove(s.doc, s.catalogue, id, slot, how)) return;
  const title = titleOf(step, s.catalogue, s.doc);
  apply(store, t`move “${title}”`, (doc) => moveStep(doc, s.catalogue, id, slot, how));
  set(store, { dialog: undefined });
  select(store, [id]);
  say(store, t`Moved: ${title}`);
}

export function go(store: EditorStore, to: Direction): void {
  const s = store.getState();
  const from = s.selection[0] ?? s.picture.structure.roots[0];
  if (!from) return;
  const next = s.selection[0] ? neighbour(s.picture.structure, from, to) : from;
  if (!next) return;
  select(store, [next]);
  s.camera?.centre(next, "if-hidden");
}

export interface Command {
  id: string;
  title: MessageDescriptor;
  /** As on a keyboard: "Mod+Z". The first one is shown. */
  keys: string[];
  /** Whether it can be used now. */
  when?: (s: EditorState) => boolean;
  run: (store: EditorStore) => void;
}

const one = (s: EditorState) => s.selection.length === 1 && !s.proposal;
const chosen = (s: EditorState) => stepById(s.doc.graph, s.selection[0] ?? "");

function firstSlot(s: EditorState): Slot | undefined {
  const step = chosen(s);
  const port = step ? portsOf(s.catalogue, step)[0] : undefined;
  return step && port ? { from: step.id, port: port.id } : undefined;
}

function openPicker(store: EditorStore, slot: Slot | undefined): void {
  if (slot) set(store, { picker: { slot, x: -1, y: -1 } });
}

/** Every command of the editor: keys, menus, toolbar and the sheet of shortcuts read this list. */
export const commands: Command[] = [
  {
    id: "undo",
    title: msg`Undo`,
    keys: ["Mod+Z"],
    when: (s) => s.history.past.length > 0 && !s.proposal,
    run: (store) => undoIt(store),
  },
  {
    id: "redo",
    title: msg`Redo`,
    keys: ["Mod+Shift+Z", "Mod+Y"],
    when: (s) => s.history.future.length > 0 && !s.proposal,
    run: (store) => redoIt(store),
  },
  {
    id: "add",
    title: msg`Add a step after`,
    keys: ["A"],
    when: one,
    run: (store) => openPicker(store, firstSlot(store.getState())),
  },
  {
    id: "add-before",
    title: msg`Add a step before`,
    keys: ["Shift+A"],
    when: (s) => one(s) && (s.picture.structure.feeders.get(s.selection[0] ?? "")?.length ?? 0) > 0,
    run: (store) => {
      const s = store.getState();
      openPicker(store, s.picture.structure.feeders.get(s.selection[0] ?? "")?.[0]);
    },
  },
  { id: "open", title: msg`Edit the step`, keys: ["Enter"], when: one, run: (store) => openInspector(store) },
  {
    id: "remove",
    title: msg`Remove the step`,
    keys: ["Delete", "Backspace"],
    when: (s) => one(s) && chosen(s)?.kind !== "entry",
    run: (store) => {
      const id = store.getState().selection[0];
      if (id) remove(store, id);
    },
  },
  {
    id: "duplicate",
    title: msg`Duplicate the step`,
    keys: ["Mod+D"],
    when: (s) => one(s) && chosen(s)?.kind !== "entry",
    run: (store) => {
      const s = store.getState();
      const step = chosen(s);
      if (!step) return;
      let copy: string | undefined;
      apply(store, t`duplicate “${titleOf(step, s.catalogue, s.doc)}”`, (doc) => {
        copy = duplicateStep(doc, s.catalogue, step.id);
      });
      if (copy) select(store, [copy]);
    },
  },
  {
    id: "off",
    title: msg`Turn the step off or on`,
    keys: ["D"],
    when: (s) => one(s) && !s.catalogue.kind(chosen(s)?.kind ?? "").no_in,
    run: (store) => {
      const s = store.getState();
      const step = chosen(s);
      if (!step) return;
      const title = titleOf(step, s.catalogue, s.doc);
      apply(store, step.off ? t`turn on “${title}”` : t`turn off “${title}”`, (doc) => toggleOff(doc, step.id));
    },
  },
  { id: "down", title: msg`Next step`, keys: ["ArrowDown"], run: (store) => go(store, "down") },
  { id: "up", title: msg`Step before`, keys: ["ArrowUp"], run: (store) => go(store, "up") },
  { id: "left", title: msg`Branch on the left`, keys: ["ArrowLeft"], run: (store) => go(store, "left") },
  { id: "right", title: msg`Branch on the right`, keys: ["ArrowRight"], run: (store) => go(store, "right") },
  {
    id: "prompt",
    title: msg`Describe a funnel`,
    keys: ["/"],
    when: (s) => !s.proposal,
    run: (store) => set(store, { prompting: true }),
  },
  { id: "zoom-in", title: msg`Zoom in`, keys: ["+", "="], run: (store) => store.getState().camera?.zoom(1.2) },
  { id: "zoom-out", title: msg`Zoom out`, keys: ["-"], run: (store) => store.getState().camera?.zoom(1 / 1.2) },
  { id: "zoom-100", title: msg`Zoom to 100 %`, keys: ["0"], run: (store) => store.getState().camera?.zoom("100%") },
  { id: "fit", title: msg`Show everything`, keys: ["1"], run: (store) => store.getState().camera?.fit() },
  {
    id: "shortcuts",
    title: msg`Keyboard shortcuts`,
    keys: ["?"],
    run: (store) => set(store, { dialog: { kind: "shortcuts" } }),
  },
];

export function undoIt(store: EditorStore): void {
  const label = undo(store);
  if (label) say(store, t`Undone: ${label}`);
}

export function redoIt(store: EditorStore): void {
  const label = redo(store);
  if (label) say(store, t`Done again: ${label}`);
}

/** Puts the focus on the first field of the selected step. */
export function openInspector(store: EditorStore): void {
  const s = store.getState();
  const step = chosen(s);
  if (step) wish(store, step.id, creativeSlug(step) ? "creative.subject" : "");
}

/** Selects a step and asks the inspector to focus a field of it; "" is the first one. */
export function wish(store: EditorStore, step: string, field: string): void {
  const tab = field.startsWith("creative.") ? "content" : field ? "setup" : undefined;
  select(store, [step], tab);
  set(store, { wish: { step, field, n: (store.getState().wish?.n ?? 0) + 1 } });
  store.getState().camera?.centre(step, "if-hidden");
}

export function command(id: string): Command {
  const found = commands.find((c) => c.id === id);
  if (!found) throw new Error(`no command ${id}`);
  return found;
}

/** The command a key press means, if any: `key` as in KeyboardEvent, Mod is Ctrl or Cmd. */
export function commandFor(e: {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}): Command | undefined {
  if (e.altKey) return undefined;
  const letter = /^[a-z]$/i.test(e.key);
  const key = letter ? e.key.toUpperCase() : e.key;
  const shift = e.shiftKey && (letter || e.key.length > 1);
  const pressed = [e.ctrlKey || e.metaKey ? "Mod" : "", shift ? "Shift" : "", key].filter(Boolean).join("+");
  return commands.find((c) => c.keys.includes(pressed));
}

export function available(c: Command, s: EditorState): boolean {
  return c.when ? c.when(s) : true;
}

/** The full name of a step for those who do not see the canvas. */
export function stepLabel(s: EditorState, id: string): string {
  const look = lookOf(s);
  const step = look.step(id);
  if (!step) return id;
  const view = viewOfKind(s.catalogue, step.kind);
  const n = rankOf(s.picture.structure, id);
  const problems = s.problemsBy.get(id)?.length ?? 0;
  const parts = [view.word(), look.title(id), t`step ${n} of ${s.shown.graph.nodes.length}`];
  if (step.off) parts.push(t`turned off`);
  if (problems > 0) parts.push(plural(problems, { one: "# problem", other: "# problems" }));
  const here = s.counts?.nodes[id]?.here;
  if (here) parts.push(t`${here} people here`);
  return parts.join(", ");
}
