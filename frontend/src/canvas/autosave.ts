import { plural, t } from "@lingui/core/macro";
import { notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";
import { isProblem } from "@/api/problem";
import type { Loaded } from "./answers";
import { api } from "./api";
import * as history from "./history";
import { whenIdle } from "./idle";
import { forget, type Kept, keep } from "./kept";
import { compareThree, resolve, stable } from "./merge";
import { documentOf, type EditorStore, say, set } from "./store";
import type { FunnelDocument } from "./types";

export const pause = 1500;
const retries = [2_000, 5_000, 10_000, 30_000];
/** How soon after a change it is on the device. */
const keepPause = 250;

const historyKey = (id: string) => `lejek.history.${id}`;

export interface Autosave {
  /** Saves now what is not saved yet; resolves when the server has it, or with false when it has not. */
  flush: () => Promise<boolean>;
  /** Whether anything is not on the server yet. */
  dirty: () => boolean;
  /** Goes on from the server's own document, with ours as it should be now. */
  settle: (current: Loaded, doc?: FunnelDocument) => void;
  /** Somebody saved while nothing was pending here: shows theirs. */
  takeIn: (current: Loaded) => void;
  stop: () => void;
}

export function storedHistory(id: string, revision: number): history.History {
  return history.restore(sessionStorage.getItem(historyKey(id)), revision);
}

/** Tells people what happened to their changes without asking them; `steps` is how many others changed. */
type Tell = (what: "merged" | "restored" | "taken", steps: number) => void;

/**
 * Sends the draft 1.5 s after the last change, one request at a time. Opening a funnel writes nothing. While the server
 * cannot be had, changes are kept on this device and sent with growing pauses. After a 409 what others did to other steps is
 * merged, and the merged draft is saved; where both changed one step, the conflict dialog asks.
 */
export function autosave(store: EditorStore, kept: Kept | undefined, tell: Tell): Autosave {
  const id = store.getState().funnel.id;
  let sent = kept?.base ?? store.getState().doc;
  let mark = store.getState().history.past.length;
  let before = kept?.changes ?? 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<boolean> | undefined;
  let failures = 0;
  let stopped = false;
  let merged = false;

  const dirty = () => store.getState().doc !== sent;
  const changes = () => Math.max(1, before + Math.abs(store.getState().history.past.length - mark));

  const schedule = (wait: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), wait);
  };

  const keepNow = () => {
    clearTimeout(keeping);
    const { doc, revision } = store.getState();
    if (dirty()) void keep(id, { revision, base: sent, doc, changes: changes() });
  };

  let remembering = false;
  const remember = () => {
    if (!remembering) return;
    remembering = false;
    const s = store.getState();
    try {
      sessionStorage.setItem(historyKey(id), history.serialise(s.history, s.revision));
    } catch {
      // Undo then lasts as long as the page.
    }
  };

  /** Two hundred entries are a long text: it is written when nothing else is to be done, at the latest when the page goes. */
  const rememberSoon = () => {
    if (remembering) return;
    remembering = true;
    whenIdle(remember);
  };

  const arrived = (doc: FunnelDocument) => {
    sent = doc;
    mark = store.getState().history.past.length;
    before = 0;
    failures = 0;
    clearTimeout(keeping);
    void forget(id);
  };

  async function save(): Promise<boolean> {
    const { doc, revision } = store.getState();
    set(store, { save: { state: "saving" } });
    try {
      const saved = await api.save(id, revision, doc);
      arrived(doc);
      set(store, {
        revision: saved.revision,
        problems: saved.problems ?? [],
        save: { state: "saved", at: Date.parse(saved.saved_at) },
      });
      rememberSoon();
    } catch (error) {
      return refused(error);
    }
    if (dirty() && !stopped) {
      set(store, { save: { state: "pending" } });
      keepNow();
      schedule(pause);
    }
    return true;
  }

  function refused(error: unknown): boolean {
    keepNow();
    const current = isProblem(error) ? (error.body as { current?: Loaded } | undefined)?.current : undefined;
    if (isProblem(error) && error.status === 409 && current) return clash(current);
    if (isProblem(error) && error.status > 0 && error.status < 500 && error.status !== 429) {
      set(store, { save: { state: "refused", why: error.detail } });
    } else {
      set(store, { save: { state: "offline", changes: changes() } });
      schedule(retries[Math.min(failures++, retries.length - 1)] as number);
    }
    return false;
  }

  /** Somebody saved first. What does not touch the same steps is merged and sent at once. */
  function clash(current: Loaded): boolean {
    const theirs = documentOf(current);
    const merge = compareThree(sent, store.getState().doc, theirs);
    if (merge.conflicts.length === 0) {
      settle(current, resolve(merge));
      tell("merged", merge.touched.theirs.size);
      merged = true;
      return true;
    }
    set(store, { save: { state: "conflict" }, conflict: { current, base: sent }, dialog: { kind: "conflict" } });
    say(store, t`Somebody else changed the same steps. Choose which to keep.`);
    return false;
  }

  function settle(current: Loaded, doc: FunnelDocument = documentOf(current)): void {
    const s = store.getState();
    const theirs = documentOf(current);
    const same = stable(doc) === stable(s.doc);
    // One entry more in the history, so that everything before it can still be undone, and this too.
    const next = same
      ? { doc: s.doc, history: s.history }
      : history.change(s.doc, s.history, (draft) => void Object.assign(draft, doc), {
          label: t`take in what others changed`,
          at: Date.now(),
        });
    const done = stable(doc) === stable(theirs);
    set(store, {
      funnel: current.funnel,
      revision: current.revision,
      conflict: undefined,
      ...(s.dialog?.kind === "conflict" ? { dialog: undefined } : {}),
      problems: current.problems ?? s.problems,
      doc: next.doc,
      history: next.history,
      save: done ? { state: "saved", at: Date.parse(current.funnel.updated_at) } : { state: "pending" },
    });
    arrived(done ? next.doc : theirs);
    rememberSoon();
  }

  async function flush(): Promise<boolean> {
    clearTimeout(timer);
    if (running) await running;
    if (!dirty()) return true;
    if (store.getState().conflict) return false;
    running = save().finally(() => {
      running = undefined;
    });
    const had = await running;
    // A merge is on the server only when the merged draft is.
    if (!had || !merged) return had;
    merged = false;
    return flush();
  }

  const unsubscribe = store.subscribe((s, was) => {
    if (s.doc === was.doc) return;
    rememberSoon();
    clearTimeout(keeping);
    keeping = setTimeout(keepNow, keepPause);
    if (!s.conflict) schedule(pause);
  });
  const online = () => dirty() && void flush();
  const leaving = (e: BeforeUnloadEvent) => {
    if (!dirty()) return;
    keepNow();
    e.preventDefault();
  };
  window.addEventListener("online", online);
  window.addEventListener("beforeunload", leaving);
  window.addEventListener("pagehide", remember);
  if (kept) {
    tell("restored", 0);
    schedule(0);
  }

  return {
    flush,
    dirty,
    settle,
    takeIn: (current) => {
      const { touched } = compareThree(sent, sent, documentOf(current));
      settle(current);
      if (touched.theirs.size > 0) tell("taken", touched.theirs.size);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      remember();
      unsubscribe();
      window.removeEventListener("online", online);
      window.removeEventListener("beforeunload", leaving);
      window.removeEventListener("pagehide", remember);
    },
  };
}

/** Autosave for as long as the editor is open. */
export function useAutosaving(store: EditorStore, kept: Kept | undefined): Autosave | null {
  const [saver, setSaver] = useState<Autosave | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was kept counts once, when the editor opens
  useEffect(() => {
    const made = autosave(store, kept, (what, steps) => {
      const text = said(store, what, steps);
      say(store, text);
      notifications.show({ message: text });
    });
    setSaver(made);
    return () => made.stop();
  }, [store]);
  return saver;
}

function said(store: EditorStore, what: Parameters<Tell>[0], steps: number): string {
  const names = [
    ...new Set(
      store
        .getState()
        .people.filter((p) => !p.me)
        .map((p) => p.name),
    ),
  ];
  const [who] = names.length === 1 ? names : [];
  const count = plural(steps, { one: "# step", other: "# steps" });
  switch (what) {
    case "restored":
      return t`Changes that were kept on this device are here again and are being saved.`;
    case "merged":
      return who
        ? t`${who} changed ${count} meanwhile. Your changes and theirs are both in the draft now.`
        : t`This funnel was saved elsewhere meanwhile (${count}). Your changes and those are both in the draft now.`;
    default:
      return who ? t`${who} changed ${count}; you see it now.` : t`${count} changed elsewhere; you see it now.`;
  }
}
