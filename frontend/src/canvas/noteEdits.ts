import { t } from "@lingui/core/macro";
import { onRemovedSay } from "./edits";
import { snapped } from "./freeLayout";
import { freePlace, freshNoteId, nearestStep, noteBox, noteSize } from "./notes";
import { apply, type EditorStore, say, select, set } from "./store";
import type { Note } from "./types";

/** Puts an empty note beside the chosen step, or in the middle of the sight, ready to be written. */
export function addNote(store: EditorStore): void {
  const s = store.getState();
  const beside = s.picture.steps.get(s.selection[0] ?? "");
  const middle = s.camera?.middle() ?? { x: 0, y: 0 };
  const { width, height } = noteSize;
  const taken = [...s.picture.steps.values(), ...(s.doc.layout.notes ?? []).map((n) => noteBox(n, s.picture))];
  const { x, y } = beside
    ? freePlace(beside, s.picture.direction, taken)
    : { x: middle.x - width / 2, y: middle.y - height / 2 };
  put(store, { x, y }, t`add a note`);
}

/** Frames the chosen steps with a note, which follows them. */
export function wrapInNote(store: EditorStore): void {
  const { selection } = store.getState();
  put(store, { x: 0, y: 0, around: [...selection] }, t`wrap in a note`);
}

function put(store: EditorStore, at: { x: number; y: number; around?: string[] }, label: string): void {
  const { doc, author, picture } = store.getState();
  const id = freshNoteId(doc.layout.notes ?? []);
  const { width, height } = noteSize;
  const note: Note = {
    id,
    text: "",
    width,
    height,
    ...at,
    ...(author ? { by: author } : {}),
    at: new Date().toISOString(),
  };
  if (!at.around) anchor(note, picture, at.x, at.y);
  apply(store, label, (d) => {
    d.layout.notes = [...(d.layout.notes ?? []), note];
  });
  select(store, []);
  set(store, { note: { id, writing: true } });
  say(store, t`A note was added. Write it.`);
}

function anchor(note: Note, picture: Parameters<typeof noteBox>[1], x: number, y: number): void {
  const step = nearestStep(picture, x + note.width / 2, y + note.height / 2);
  const at = step ? picture.steps.get(step) : undefined;
  note.x = snapped(x - (at?.x ?? 0));
  note.y = snapped(y - (at?.y ?? 0));
  if (step) note.step = step;
}

/** Writes a note; a burst of typing is one entry of the history. */
export function writeNote(store: EditorStore, id: string, text: string): void {
  apply(store, t`write a note`, (d) => edit(d.layout.notes, id, (n) => Object.assign(n, { text })), `${id}/text`);
}

export function moveNote(store: EditorStore, id: string, dx: number, dy: number): void {
  const s = store.getState();
  const note = s.doc.layout.notes?.find((n) => n.id === id);
  if (!note || note.around || (dx === 0 && dy === 0)) return;
  const box = noteBox(note, s.picture);
  apply(store, t`move a note`, (d) => edit(d.layout.notes, id, (n) => anchor(n, s.picture, box.x + dx, box.y + dy)));
}

export function resizeNote(store: EditorStore, id: string, dw: number, dh: number): void {
  if (dw === 0 && dh === 0) return;
  apply(store, t`resize a note`, (d) =>
    edit(d.layout.notes, id, (n) => {
      n.width = Math.max(noteSize.least, snapped(n.width + dw));
      n.height = Math.max(noteSize.least, snapped(n.height + dh));
    }),
  );
}

export function removeNote(store: EditorStore, id: string): void {
  apply(store, t`remove a note`, (d) => {
    d.layout.notes = (d.layout.notes ?? []).filter((n) => n.id !== id);
  });
  set(store, { note: undefined });
  onRemovedSay(store, t`a note`);
}

function edit(notes: Note[] | undefined, id: string, change: (note: Note) => void): void {
  const note = notes?.find((n) => n.id === id);
  if (note) change(note);
}
