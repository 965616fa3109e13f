import { plural, t } from "@lingui/core/macro";
import { produce } from "immer";
import { isProblem } from "@/api/problem";
import { api } from "./api";
import { copySteps, pasteClip, readClip } from "./clipboard";
import { clipboardText, putOnClipboard } from "./clipboardPlace";
import {
  connect,
  creativeSlug,
  insertRoot,
  insertStep,
  moveStep,
  type RemoveHow,
  type Slot,
  toggleOff,
} from "./document";
import { focusStep, wish } from "./focus";
import { titleOf } from "./kinds";
import { linkAt, portsOf, stepById } from "./ports";
import { forksToAsk, goneWith, moveSteps, placesFor, regionOf, removeSteps } from "./region";
import { refuseKind, refuseMove } from "./slots";
import { apply, type EditorState, type EditorStore, redo, say, select, set, together, undo } from "./store";
import type { FunnelDocument } from "./types";
import { neighbour } from "./walk";
import { word } from "./words";

/** The edits of the draft as people know them: each one labelled, undoable, and told to whoever listens. */

/** Adds a step: the '+' button, a drop from the palette, the key A, menus and the outline all end here. */
export function insert(store: EditorStore, kind: string, slot?: Slot): string | undefined {
  return together(store, () => insertNow(store, kind, slot));
}

function insertNow(store: EditorStore, kind: string, slot?: Slot): string | undefined {
  const s = store.getState();
  const spec = s.catalogue.kind(kind);
  if (s.proposal || refuseKind(s.doc, s.catalogue, kind, slot)) return undefined;
  let id = "";
  const title = word(`kind.${kind}.title`, spec.title);
  // The card is drawn once, in the shape it has while it is not set up yet.
  const grace = spec.fields.some((f) => f.required);
  apply(
    store,
    t`add “${title}”`,
    (doc) => {
      id = spec.no_in || !slot ? insertRoot(doc, s.catalogue, kind) : insertStep(doc, s.catalogue, slot, kind);
    },
    undefined,
    () => ({ picker: undefined, ...(grace ? { fresh: new Set([...s.fresh, id]) } : {}) }),
  );
  const step = stepById(store.getState().doc.graph, id);
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

/** Leads a way out to an existing step, or nowhere. */
export function leadTo(store: EditorStore, slot: Slot, to: string | undefined): void {
  const s = store.getState();
  const target = to ? stepById(s.doc.graph, to) : undefined;
  const label = target ? t`lead to “${titleOf(target, s.catalogue, s.doc)}”` : t`end the path here`;
  apply(store, label, (doc) => connect(doc, slot, to));
  set(store, { picker: undefined, edge: undefined });
  say(store, label);
}

/** "“Welcome”", or "3 steps": what a label says an edit was about. */
function whatOf(s: EditorState, ids: readonly string[]): string {
  const step = ids.length === 1 ? stepById(s.doc.graph, ids[0] ?? "") : undefined;
  return step
    ? t`“${titleOf(step, s.catalogue, s.doc)}”`
    : plural(ids.length, { one: "# step", few: "# steps", many: "# steps", other: "# steps" });
}

/** Removes steps. A fork with something below asks once what to keep of it. */
export function remove(store: EditorStore, ids: readonly string[], how?: RemoveHow): void {
  together(store, () => removeNow(store, ids, how));
}

function removeNow(store: EditorStore, ids: readonly string[], how?: RemoveHow): void {
  const s = store.getState();
  const region = regionOf(s.doc, s.catalogue, ids);
  if (region.length === 0 || s.proposal) return;
  if (!how && forksToAsk(s.doc, s.catalogue, region).length > 0) {
    set(store, { dialog: { kind: "delete", steps: region } });
    return;
  }
  const what = whatOf(s, region);
  const more = goneWith(s.doc, s.catalogue, region, how).length - region.length;
  const before = region[0] ? neighbour(s.picture.structure, region[0], "up") : undefined;
  apply(store, more > 0 ? t`remove ${what} and ${more} more` : t`remove ${what}`, (doc) =>
    removeSteps(doc, s.catalogue, region, how),
  );
  set(store, { dialog: undefined });
  const next = before && stepById(store.getState().doc.graph, before) ? before : undefined;
  select(store, next ? [next] : []);
  if (next) requestAnimationFrame(() => focusStep(next));
  onRemovedSay(store, more > 0 ? t`${what} and ${more} more` : what);
}

/** Every removal is said, and offers Undo for ten seconds. */
export function onRemovedSay(store: EditorStore, what: string): void {
  say(store, t`Removed: ${what}`);
  removed?.(what, store);
}

let removed: ((what: string, store: EditorStore) => void) | undefined;

/** Who shows the toast with Undo after a removal. */
export function onRemoved(show: typeof removed): void {
  removed = show;
}

export function move(store: EditorStore, id: string, slot: Slot, how: "alone" | "below"): void {
  const s = store.getState();
  if (!stepById(s.doc.graph, id) || refuseMove(s.doc, s.catalogue, id, slot, how)) return;
  const what = whatOf(s, [id]);
  apply(store, t`move ${what}`, (doc) => moveStep(doc, s.catalogue, id, slot, how));
  set(store, { dialog: undefined });
  select(store, [id]);
  say(store, t`Moved: ${what}`);
}

/** Moves chosen steps with the links between them. */
export function moveTogether(store: EditorStore, ids: readonly string[], slot: Slot): void {
  const s = store.getState();
  if (!placesFor(s.doc, s.catalogue, ids).some((p) => p.from === slot.from && p.port === slot.port)) return;
  const what = whatOf(s, ids);
  apply(store, t`move ${what}`, (doc) => moveSteps(doc, s.catalogue, ids, slot));
  select(store, [...ids]);
  say(store, t`Moved: ${what}`);
}

/** Turns steps off, or on when all of them are off. */
export function toggle(store: EditorStore, ids: readonly string[]): void {
  const s = store.getState();
  const steps = ids.flatMap((id) => stepById(s.doc.graph, id) ?? []).filter((n) => !s.catalogue.kind(n.kind).no_in);
  if (steps.length === 0) return;
  const on = steps.every((n) => n.off);
  const what = whatOf(
    s,
    steps.map((n) => n.id),
  );
  apply(store, on ? t`turn on ${what}` : t`turn off ${what}`, (doc) => {
    for (const n of steps) if (Boolean(n.off) === on) toggleOff(doc, n.id);
  });
  say(store, on ? t`Turned on: ${what}` : t`Turned off: ${what}. People pass by.`);
}

const copyOf = (name: string, n: number) => (n === 1 ? t`${name} (copy)` : t`${name} (copy ${n})`);

/** Puts copies right behind the chosen steps. */
export function duplicate(store: EditorStore, ids: readonly string[]): void {
  const s = store.getState();
  const clip = copySteps(s.doc, s.catalogue, ids);
  if (clip.steps.length === 0) return;
  const what = whatOf(
    s,
    clip.steps.map((n) => n.id),
  );
  put(store, t`duplicate ${what}`, (doc) => pasteClip(doc, s.catalogue, clip, { slot: slotAfter(s, ids), copyOf }));
}

/** Copies the chosen steps to the clipboard, as text that any tab of any Lejek can paste. */
export function copy(store: EditorStore, event?: ClipboardEvent): void {
  const s = store.getState();
  const clip = copySteps(s.doc, s.catalogue, s.selection);
  if (clip.steps.length === 0) return;
  putOnClipboard(JSON.stringify(clip), event);
  const what = whatOf(
    s,
    clip.steps.map((n) => n.id),
  );
  say(store, t`Copied: ${what}`);
}

export function cut(store: EditorStore, event?: ClipboardEvent): void {
  copy(store, event);
  remove(store, store.getState().selection);
}

/** Pastes at the chosen link, else behind the chosen step, else at the first open end. */
export async function paste(store: EditorStore, event?: ClipboardEvent): Promise<void> {
  const clip = readClip(event ? (event.clipboardData?.getData("text/plain") ?? "") : await clipboardText());
  const s = store.getState();
  if (s.proposal) return;
  if (typeof clip === "string") {
    const why = {
      empty: t`There is nothing to paste. Copy steps first, here or in another funnel.`,
      foreign: t`What was copied is not a step of a funnel. Copy steps first, here or in another funnel.`,
      newer: t`These steps were copied in a newer version of Lejek. Reload this page, then paste again.`,
    }[clip];
    say(store, why);
    refused?.(why);
    return;
  }
  const what = plural(clip.steps.length, { one: "# step", few: "# steps", many: "# steps", other: "# steps" });
  put(store, t`paste ${what}`, (doc) => pasteClip(doc, s.catalogue, clip, { slot: pasteSlot(s), copyOf }));
}

let refused: ((why: string) => void) | undefined;

/** Who shows why something could not be pasted. */
export function onRefused(show: typeof refused): void {
  refused = show;
}

/** Keeps the chosen steps, with the start of this funnel, as a template of the gallery. */
export async function saveAsTemplate(store: EditorStore): Promise<void> {
  const s = store.getState();
  const clip = copySteps(s.doc, s.catalogue, s.selection);
  const first = clip.steps[0];
  if (!first) return;
  const name = titleOf(first, s.catalogue, s.doc);
  const entry = s.doc.graph.nodes.filter((n) => s.catalogue.kind(n.kind).single);
  const start = entry[0];
  const port = start ? portsOf(s.catalogue, start)[0] : undefined;
  const made = produce<FunnelDocument>(
    { name, graph: { schema: 1, nodes: entry, edges: [] }, creatives: {}, layout: {} },
    (doc) => {
      pasteClip(doc, s.catalogue, clip, {
        copyOf,
        ...(start && port ? { slot: { from: start.id, port: port.id } } : {}),
      });
    },
  );
  const does = t`Made of “${s.doc.name}”`;
  try {
    const template = await api.keepTemplate({ name, does, graph: made.graph, creatives: made.creatives });
    say(store, t`Saved as a template: ${name}`);
    saved?.(name, template.slug);
  } catch (error) {
    const why = (isProblem(error) && error.detail) || t`The template could not be saved. Try again in a moment.`;
    say(store, why);
    refused?.(why);
  }
}

let saved: ((name: string, template: string) => void) | undefined;

/** Who tells that a template was saved, and leads to it. */
export function onSaved(show: typeof saved): void {
  saved = show;
}

function put(store: EditorStore, label: string, edit: (doc: EditorState["doc"]) => string[]): void {
  let ids: string[] = [];
  apply(store, label, (doc) => {
    ids = edit(doc);
  });
  if (ids.length === 0) return;
  select(store, ids);
  say(store, t`Done: ${label}`);
  requestAnimationFrame(() => {
    store.getState().camera?.centre(ids[0] ?? "", "if-hidden");
    focusStep(ids[0] ?? "");
  });
}

/** The way out behind which copies of these steps go: the last of them that leads on. */
function slotAfter(s: EditorState, ids: readonly string[]): Slot | undefined {
  for (const id of regionOf(s.doc, s.catalogue, ids).reverse()) {
    const step = stepById(s.doc.graph, id);
    const first = step && !s.catalogue.kind(step.kind).no_in ? portsOf(s.catalogue, step)[0] : undefined;
    if (first) return { from: id, port: first.id };
  }
  return undefined;
}

/** Where something goes when only "add" or "paste" was said. */
export function pasteSlot(s: EditorState): Slot | undefined {
  if (s.edge) return s.edge;
  const chosen = s.selection.at(-1);
  const behind = s.picture.routes.find((r) => r.from === chosen);
  const end = behind ?? s.picture.routes.find((r) => r.kind === "end" && !linkAt(s.doc.graph, r.from, r.port));
  return end ? { from: end.from, port: end.port } : undefined;
}

export function undoIt(store: EditorStore): void {
  const label = undo(store);
  if (label) say(store, t`Undone: ${label}`);
}

export function redoIt(store: EditorStore): void {
  const label = redo(store);
  if (label) say(store, t`Done again: ${label}`);
}
