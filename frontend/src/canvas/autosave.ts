import { isProblem } from "@/api/problem";
import { api, type Loaded } from "./api";
import * as history from "./history";
import { documentOf, type EditorStore, set } from "./store";
import type { FunnelDocument } from "./types";

export const pause = 1500;
const retries = [2_000, 5_000, 10_000, 30_000];

const historyKey = (id: string) => `lejek.history.${id}`;
const keptKey = (id: string) => `lejek.kept.${id}`;

interface Kept {
  revision: number;
  doc: FunnelDocument;
}

export interface Autosave {
  /** Saves now what is not saved yet; resolves when the server has it, or with false when it has not. */
  flush: () => Promise<boolean>;
  /** Whether anything is not on the server yet. */
  dirty: () => boolean;
  /** The server's own document was taken over: there is nothing to save. */
  taken: () => void;
  stop: () => void;
}

export function storedHistory(id: string, revision: number): history.History {
  return history.restore(sessionStorage.getItem(historyKey(id)), revision);
}

/** Unsent changes of an earlier page (a crash, a dead line), if they started from this very revision. */
export function keptChanges(id: string, revision: number): FunnelDocument | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keptKey(id)) ?? "null") as Kept | null;
    return kept?.revision === revision ? kept.doc : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sends the draft 1.5 s after the last change, one request at a time. Opening a funnel writes nothing. While the server
 * cannot be had, changes are kept on this device and sent with growing pauses; a 409 opens the conflict dialog.
 */
export function autosave(store: EditorStore): Autosave {
  const id = store.getState().funnel.id;
  let sent = store.getState().doc;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<boolean> | undefined;
  let failures = 0;
  let stopped = false;

  const dirty = () => store.getState().doc !== sent;

  const schedule = (wait: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), wait);
  };

  const keep = (doc: FunnelDocument | undefined) => {
    try {
      if (doc)
        localStorage.setItem(keptKey(id), JSON.stringify({ revision: store.getState().revision, doc } satisfies Kept));
      else localStorage.removeItem(keptKey(id));
    } catch {
      // Storage is full or forbidden: the page itself still holds the changes.
    }
  };

  const remember = () => {
    const s = store.getState();
    try {
      sessionStorage.setItem(historyKey(id), history.serialise(s.history, s.revision));
    } catch {
      // Undo then lasts as long as the page.
    }
  };

  async function save(): Promise<boolean> {
    const { doc, revision } = store.getState();
    set(store, { save: { state: "saving" } });
    try {
      const saved = await api.save(id, revision, doc);
      sent = doc;
      failures = 0;
      keep(undefined);
      set(store, {
        revision: saved.revision,
        problems: saved.problems ?? [],
        save: { state: "saved", at: Date.parse(saved.saved_at) },
      });
      remember();
    } catch (error) {
      return refused(error, doc);
    }
    if (dirty() && !stopped) {
      set(store, { save: { state: "pending" } });
      schedule(pause);
      return true;
    }
    return true;
  }

  function refused(error: unknown, doc: FunnelDocument): boolean {
    keep(doc);
    if (isProblem(error) && error.status === 409) {
      const current = (error.body as { current?: Loaded } | undefined)?.current;
      set(store, { save: { state: "conflict" }, ...(current ? { dialog: { kind: "conflict", current } } : {}) });
    } else if (isProblem(error) && error.status > 0 && error.status < 500 && error.status !== 429) {
      set(store, { save: { state: "refused", why: error.detail } });
    } else {
      const changes = store.getState().history.past.length;
      set(store, { save: { state: "offline", changes: Math.max(1, changes) } });
      schedule(retries[Math.min(failures++, retries.length - 1)] as number);
    }
    return false;
  }

  async function flush(): Promise<boolean> {
    clearTimeout(timer);
    if (running) await running;
    if (!dirty()) return true;
    if (store.getState().save.state === "conflict") return false;
    running = save().finally(() => {
      running = undefined;
    });
    return running;
  }

  const unsubscribe = store.subscribe((s, before) => {
    if (s.doc === before.doc) return;
    remember();
    if (s.save.state !== "conflict") schedule(pause);
  });
  const online = () => dirty() && void flush();
  const leaving = (e: BeforeUnloadEvent) => {
    if (dirty()) e.preventDefault();
  };
  window.addEventListener("online", online);
  window.addEventListener("beforeunload", leaving);

  return {
    flush,
    dirty,
    taken: () => {
      sent = store.getState().doc;
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      unsubscribe();
      window.removeEventListener("online", online);
      window.removeEventListener("beforeunload", leaving);
    },
  };
}

/** Ends a conflict: the editor goes on from the server's revision with the given document. */
export function settle(store: EditorStore, current: Loaded, doc: FunnelDocument = documentOf(current)): void {
  const s = store.getState();
  set(store, {
    funnel: current.funnel,
    revision: current.revision,
    dialog: undefined,
    problems: current.problems ?? s.problems,
    save: { state: "pending" },
  });
  set(store, { doc, history: doc === s.doc ? s.history : history.emptyHistory });
}
