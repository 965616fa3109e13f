import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { arrange, setDirection, setFree } from "./arrange";
import type { Slot } from "./document";
import { copy, cut, duplicate, leadTo, paste, redoIt, remove, saveAsTemplate, toggle, undoIt } from "./edits";
import { go, goToStep, openInspector } from "./focus";
import { startMoving } from "./moving";
import { addNote, wrapInNote } from "./noteEdits";
import { below, linkAt, portsOf, stepById } from "./ports";
import { regionOf } from "./region";
import { type EditorState, type EditorStore, select, set } from "./store";
import { startingEvent } from "./triggers";

/** What a command is about, in the sheet of shortcuts and in the palette. */
export type Group = "history" | "steps" | "choose" | "picture" | "funnel";

export interface Command {
  id: string;
  title: MessageDescriptor;
  group: Group;
  /** As on a keyboard: "Mod+Z". The first one is shown. */
  keys: string[];
  /** Whether it can be used now. */
  when?: (s: EditorState) => boolean;
  /** What it needs first, where `when` says no. */
  needs?: MessageDescriptor;
  /** Its keys work wherever nobody types, not on the canvas alone. */
  anywhere?: boolean;
  /** The browser's own event (copy, cut, paste) runs it, because only that event may touch the clipboard. */
  event?: "copy" | "cut" | "paste";
  run: (store: EditorStore, event?: ClipboardEvent) => void;
}

const chosen = (s: EditorState) => stepById(s.doc.graph, s.selection[0] ?? "");
const one = (s: EditorState) => s.selection.length === 1 && !s.proposal;
const draft = (s: EditorState) => !s.proposal;
/** Steps are chosen that may be taken out, copied and moved. */
const some = (s: EditorState) => !s.proposal && regionOf(s.doc, s.catalogue, s.selection).length > 0;
const passable = (s: EditorState) =>
  !s.proposal && s.selection.some((id) => !s.catalogue.kind(stepById(s.doc.graph, id)?.kind ?? "").no_in);

const aStep = msg`Choose one step first.`;
const steps = msg`Choose steps first. The start stays where it is.`;

function firstSlot(s: EditorState): Slot | undefined {
  if (s.edge) return s.edge;
  const step = chosen(s);
  const port = step ? portsOf(s.catalogue, step)[0] : undefined;
  return step && port ? { from: step.id, port: port.id } : undefined;
}

function slotBefore(s: EditorState): Slot | undefined {
  return s.picture.structure.feeders.get(s.selection[0] ?? "")?.[0];
}

function openPicker(store: EditorStore, slot: Slot | undefined): void {
  if (slot) set(store, { picker: { slot, x: -1, y: -1 } });
}

/** A chosen link that leads to a step which has another way in, so that nothing is cut off. */
function loose(s: EditorState): boolean {
  const to = s.edge && !s.proposal ? linkAt(s.doc.graph, s.edge.from, s.edge.port)?.to : undefined;
  return to !== undefined && s.doc.graph.edges.filter((e) => e.to === to).length > 1;
}

const all: Command[] = [
  {
    id: "undo",
    title: msg`Undo`,
    group: "history",
    keys: ["Mod+Z"],
    anywhere: true,
    when: (s) => s.history.past.length > 0 && !s.proposal,
    needs: msg`There is nothing to undo.`,
    run: undoIt,
  },
  {
    id: "redo",
    title: msg`Redo`,
    group: "history",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    anywhere: true,
    when: (s) => s.history.future.length > 0 && !s.proposal,
    needs: msg`There is nothing to do again.`,
    run: redoIt,
  },
  {
    id: "add",
    title: msg`Add a step after`,
    group: "steps",
    keys: ["A"],
    when: (s) => draft(s) && firstSlot(s) !== undefined,
    needs: aStep,
    run: (store) => openPicker(store, firstSlot(store.getState())),
  },
  {
    id: "add-before",
    title: msg`Add a step before`,
    group: "steps",
    keys: ["Shift+A"],
    when: (s) => one(s) && slotBefore(s) !== undefined,
    needs: aStep,
    run: (store) => openPicker(store, slotBefore(store.getState())),
  },
  {
    id: "open",
    title: msg`Edit the step`,
    group: "steps",
    keys: ["Enter"],
    when: one,
    needs: aStep,
    run: openInspector,
  },
  {
    id: "copy",
    title: msg`Copy`,
    group: "steps",
    keys: ["Mod+C"],
    event: "copy",
    when: some,
    needs: steps,
    run: copy,
  },
  {
    id: "cut",
    title: msg`Cut`,
    group: "steps",
    keys: ["Mod+X"],
    event: "cut",
    when: some,
    needs: steps,
    run: cut,
  },
  {
    id: "paste",
    title: msg`Paste`,
    group: "steps",
    keys: ["Mod+V"],
    event: "paste",
    when: draft,
    run: (store, event) => void paste(store, event),
  },
  {
    id: "duplicate",
    title: msg`Duplicate`,
    group: "steps",
    keys: ["Mod+D"],
    when: some,
    needs: steps,
    run: (store) => duplicate(store, store.getState().selection),
  },
  {
    id: "move",
    title: msg`Move`,
    group: "steps",
    keys: ["M"],
    when: some,
    needs: steps,
    run: startMoving,
  },
  {
    id: "off",
    title: msg`Turn off or on`,
    group: "steps",
    keys: ["D"],
    when: passable,
    needs: steps,
    run: (store) => toggle(store, store.getState().selection),
  },
  {
    id: "remove",
    title: msg`Remove`,
    group: "steps",
    keys: ["Delete", "Backspace"],
    when: some,
    needs: steps,
    run: (store) => remove(store, store.getState().selection),
  },
  {
    id: "end-path",
    title: msg`End the path at the chosen link`,
    group: "steps",
    keys: ["E"],
    when: loose,
    needs: msg`Click a link or a “Go to” first. A link that is the only way to a step stays.`,
    run: (store) => {
      const { edge } = store.getState();
      if (edge) leadTo(store, edge, undefined);
    },
  },
  { id: "down", title: msg`One card down`, group: "choose", keys: ["ArrowDown"], run: (store) => go(store, "down") },
  { id: "up", title: msg`One card up`, group: "choose", keys: ["ArrowUp"], run: (store) => go(store, "up") },
  {
    id: "left",
    title: msg`One card to the left`,
    group: "choose",
    keys: ["ArrowLeft"],
    run: (store) => go(store, "left"),
  },
  {
    id: "right",
    title: msg`One card to the right`,
    group: "choose",
    keys: ["ArrowRight"],
    run: (store) => go(store, "right"),
  },
  {
    id: "first",
    title: msg`To the start of the funnel`,
    group: "choose",
    keys: ["Home"],
    run: (store) => {
      const first = store.getState().picture.structure.roots[0];
      if (first) goToStep(store, first);
    },
  },
  {
    id: "choose-all",
    title: msg`Choose all steps`,
    group: "choose",
    keys: ["Mod+A"],
    run: (store) => select(store, [...store.getState().picture.structure.order]),
  },
  {
    id: "choose-below",
    title: msg`Choose this step and all below`,
    group: "choose",
    keys: ["B"],
    when: (s) => s.selection.length > 0,
    needs: aStep,
    run: (store) => {
      const s = store.getState();
      const under = new Set(s.selection.flatMap((id) => [...below(s.doc.graph, id)]));
      select(
        store,
        s.picture.structure.order.filter((id) => under.has(id)),
      );
    },
  },
  {
    id: "find",
    title: msg`Find a step`,
    group: "choose",
    keys: ["Mod+F"],
    anywhere: true,
    run: (store) => set(store, { dialog: { kind: "palette", of: "steps" } }),
  },
  {
    id: "palette",
    title: msg`Find anything: steps, funnels, people, commands`,
    group: "choose",
    keys: ["Mod+K"],
    anywhere: true,
    run: (store) => set(store, { dialog: { kind: "palette", of: "all" } }),
  },
  {
    id: "zoom-in",
    title: msg`Zoom in`,
    group: "picture",
    keys: ["+", "="],
    run: (store) => store.getState().camera?.zoom(1.2),
  },
  {
    id: "zoom-out",
    title: msg`Zoom out`,
    group: "picture",
    keys: ["-"],
    run: (store) => store.getState().camera?.zoom(1 / 1.2),
  },
  {
    id: "zoom-100",
    title: msg`Zoom to 100 %`,
    group: "picture",
    keys: ["0"],
    run: (store) => store.getState().camera?.zoom("100%"),
  },
  {
    id: "fit",
    title: msg`Show everything`,
    group: "picture",
    keys: ["1"],
    run: (store) => store.getState().camera?.fit(),
  },
  {
    id: "zoom-chosen",
    title: msg`Show what is chosen`,
    group: "picture",
    keys: ["2"],
    when: (s) => s.selection.length > 0,
    needs: aStep,
    run: (store) => store.getState().camera?.fit(store.getState().selection),
  },
  {
    id: "map",
    title: msg`Show or hide the map`,
    group: "picture",
    keys: ["Shift+M"],
    run: (store) => set(store, { map: !store.getState().map }),
  },
  {
    id: "view",
    title: msg`Canvas or outline`,
    group: "picture",
    keys: ["O"],
    run: (store) => set(store, { view: store.getState().view === "canvas" ? "outline" : "canvas" }),
  },
  {
    id: "direction",
    title: msg`Draw downward or to the right`,
    group: "picture",
    keys: ["Shift+D"],
    when: draft,
    run: (store) => setDirection(store, store.getState().picture.direction === "down" ? "right" : "down"),
  },
  {
    id: "free",
    title: msg`Arrange freely, or let the picture arrange itself`,
    group: "picture",
    keys: ["Shift+F"],
    when: draft,
    run: (store) => setFree(store, !store.getState().doc.layout.free),
  },
  {
    id: "tidy",
    title: msg`Tidy up`,
    group: "picture",
    keys: ["Shift+Alt+T"],
    when: (s) => draft(s) && s.doc.layout.free === true,
    needs: msg`The picture arranges itself. Only a free one can be tidied up.`,
    run: arrange,
  },
  {
    id: "template",
    title: msg`Save as template`,
    group: "steps",
    keys: ["T"],
    when: some,
    needs: steps,
    run: (store) => void saveAsTemplate(store),
  },
  { id: "note", title: msg`Add a note`, group: "picture", keys: ["N"], when: draft, run: addNote },
  {
    id: "wrap",
    title: msg`Wrap in a note`,
    group: "picture",
    keys: ["Shift+N"],
    when: (s) => draft(s) && s.selection.length > 0,
    needs: aStep,
    run: wrapInNote,
  },
  {
    id: "prompt",
    title: msg`Describe a funnel`,
    group: "funnel",
    keys: ["/"],
    anywhere: true,
    when: draft,
    run: (store) => set(store, { prompting: true }),
  },
  {
    id: "simulate",
    title: msg`Simulate, or end the simulation`,
    group: "funnel",
    keys: ["S"],
    when: draft,
    run: (store) => set(store, { simulating: !store.getState().simulating, simulation: undefined }),
  },
  {
    id: "publish",
    title: msg`Publish`,
    group: "funnel",
    keys: ["Mod+Shift+P"],
    when: draft,
    run: (store) => set(store, { dialog: { kind: "publish" } }),
  },
  {
    id: "versions",
    title: msg`Versions, and the way back`,
    group: "funnel",
    keys: ["V"],
    when: (s) => s.funnel.version > 0,
    needs: msg`There is no version yet: nothing was published.`,
    run: (store) => set(store, { dialog: { kind: "versions" } }),
  },
  {
    id: "why",
    title: msg`Why is somebody in it, or not?`,
    group: "funnel",
    keys: ["Y"],
    when: (s) => s.funnel.version > 0,
    needs: msg`There is no version yet: nothing was published.`,
    run: (store) => set(store, { dialog: { kind: "why" } }),
  },
  {
    id: "test-event",
    title: msg`Send a test event`,
    group: "funnel",
    keys: ["Shift+E"],
    when: (s) => s.funnel.version > 0 && startingEvent(s.doc) !== "",
    needs: msg`Publish it first, and let it start on an event.`,
    run: (store) => set(store, { dialog: { kind: "test-event" } }),
  },
  {
    id: "shortcuts",
    title: msg`Keyboard shortcuts`,
    group: "funnel",
    keys: ["?"],
    anywhere: true,
    run: (store) => set(store, { dialog: { kind: "shortcuts" } }),
  },
];

/** Every command of the editor: keys, menus, toolbar, palette and the sheet of shortcuts read this list. */
export const commands: readonly Command[] = all;

export function command(id: string): Command | undefined {
  return commands.find((c) => c.id === id);
}

/** Runs a command if it is there and can be used now. */
export function run(store: EditorStore, id: string, event?: ClipboardEvent): boolean {
  const found = command(id);
  if (!found || !available(found, store.getState())) return false;
  found.run(store, event);
  return true;
}

/** The command a key press means, if any: `key` as in KeyboardEvent, Mod is Ctrl or Cmd. */
export function commandFor(
  e: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): Command | undefined {
  // Alt makes other letters of keys; what is printed on the key is meant.
  const key = e.altKey && /^Key[A-Z]$/.test(e.code) ? e.code.slice(3) : e.key;
  const letter = /^[a-z]$/i.test(key);
  const shift = e.shiftKey && (letter || key.length > 1);
  const mod = e.ctrlKey || e.metaKey;
  const pressed = [mod ? "Mod" : "", shift ? "Shift" : "", e.altKey ? "Alt" : "", letter ? key.toUpperCase() : key];
  const name = pressed.filter(Boolean).join("+");
  return commands.find((c) => c.keys.includes(name));
}

export function available(c: Command, s: EditorState): boolean {
  return c.when ? c.when(s) : true;
}
