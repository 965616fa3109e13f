import { applyPatches, enablePatches, type Patch, produceWithPatches } from "immer";

enablePatches();

/** One undoable change: what it is called, how to redo it and how to undo it. */
export interface Entry {
  label: string;
  redo: Patch[];
  undo: Patch[];
  /** Changes with the same burst key within the window become one entry. */
  burst?: string;
  at: number;
}

/** An immutable stack of labelled patches over one document. Selection and viewport are never in it. */
export interface History {
  past: Entry[];
  future: Entry[];
}

export const depth = 200;
export const burstWindow = 800;
export const storedBytes = 2 * 1024 * 1024;

export const emptyHistory: History = { past: [], future: [] };

export interface ChangeOptions {
  label: string;
  /** Epoch milliseconds; decides whether a burst continues. */
  at: number;
  burst?: string;
}

/** Runs an edit and records it. An edit that changes nothing leaves both as they are, identical objects. */
export function change<D extends object>(
  doc: D,
  history: History,
  edit: (draft: D) => void,
  { label, at, burst }: ChangeOptions,
): { doc: D; history: History } {
  const [next, redo, undo] = produceWithPatches(doc, edit as (draft: unknown) => void) as [D, Patch[], Patch[]];
  if (redo.length === 0) return { doc, history };
  const last = history.past.at(-1);
  if (burst && last?.burst === burst && at - last.at <= burstWindow && history.future.length === 0) {
    const merged: Entry = { ...last, redo: [...last.redo, ...redo], undo: [...undo, ...last.undo], at };
    return { doc: next, history: { past: [...history.past.slice(0, -1), merged], future: [] } };
  }
  const entry: Entry = burst ? { label, redo, undo, burst, at } : { label, redo, undo, at };
  return { doc: next, history: { past: [...history.past, entry].slice(-depth), future: [] } };
}

/** Ends a typing burst (blur, selection change): the next change is an entry of its own. */
export function endBurst(history: History): History {
  const last = history.past.at(-1);
  if (!last?.burst) return history;
  const { burst: _, ...rest } = last;
  return { past: [...history.past.slice(0, -1), rest], future: history.future };
}

/** A place to return to: the number of entries before a gesture of several edits. */
export function mark(history: History): number {
  return history.past.length;
}

/** Folds everything since the mark into one entry. */
export function squashTo(history: History, to: number, label: string): History {
  const since = history.past.slice(to);
  if (since.length < 1) return history;
  const entry: Entry = {
    label,
    redo: since.flatMap((e) => e.redo),
    undo: [...since].reverse().flatMap((e) => e.undo),
    at: since.at(-1)?.at ?? 0,
  };
  return { past: [...history.past.slice(0, to), entry], future: [] };
}

export function undo<D extends object>(doc: D, history: History): { doc: D; history: History; entry?: Entry } {
  const entry = history.past.at(-1);
  if (!entry) return { doc, history };
  return {
    doc: applyPatches(doc, entry.undo) as D,
    history: { past: history.past.slice(0, -1), future: [entry, ...history.future] },
    entry,
  };
}

export function redo<D extends object>(doc: D, history: History): { doc: D; history: History; entry?: Entry } {
  const entry = history.future[0];
  if (!entry) return { doc, history };
  return {
    doc: applyPatches(doc, entry.redo) as D,
    history: { past: [...history.past, entry], future: history.future.slice(1) },
    entry,
  };
}

/** Text for sessionStorage, at most `storedBytes` long: the oldest entries go first. */
export function serialise(history: History, revision: number): string {
  let past = history.past;
  for (;;) {
    const text = JSON.stringify({ revision, past, future: history.future });
    if (text.length * 2 <= storedBytes) return text;
    if (past.length === 0) return JSON.stringify({ revision, past: [], future: [] });
    past = past.slice(Math.ceil(past.length / 4));
  }
}

/** The stored history, if it belongs to exactly this revision of the document. */
export function restore(text: string | null, revision: number): History {
  if (!text) return emptyHistory;
  try {
    const stored = JSON.parse(text) as { revision?: number; past?: Entry[]; future?: Entry[] };
    if (stored.revision !== revision || !Array.isArray(stored.past) || !Array.isArray(stored.future))
      return emptyHistory;
    return { past: stored.past, future: stored.future };
  } catch {
    return emptyHistory;
  }
}
