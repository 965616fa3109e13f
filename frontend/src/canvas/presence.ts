import { useEffect } from "react";
import { api } from "./api";
import type { Autosave } from "./autosave";
import { page } from "./kept";
import { type EditorStore, set } from "./store";

const beat = 5000;
const soon = 400;

/**
 * Says every few seconds that this page looks at the funnel and hears who else does. When somebody saved while nothing is
 * pending here, theirs is shown at once: two people who take turns never meet a conflict.
 */
export function usePresence(store: EditorStore, saver: Autosave | null): void {
  useEffect(() => {
    if (!saver) return;
    const { id } = store.getState().funnel;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    let asking = false;
    const ask = async () => {
      clearTimeout(timer);
      if (asking || gone) return;
      asking = true;
      try {
        const node = store.getState().selection[0] ?? "";
        const heard = await api.bePresent(id, { page, node });
        if (gone) return;
        const { people } = store.getState();
        if (JSON.stringify(people) !== JSON.stringify(heard.people)) set(store, { people: heard.people });
        await follow(heard.revision);
      } catch {
        // Without the server nobody is seen; the state of saving says that it is away.
        if (store.getState().people.length > 0) set(store, { people: [] });
      } finally {
        asking = false;
        if (!gone) timer = setTimeout(() => void ask(), beat);
      }
    };
    const idle = () => {
      const s = store.getState();
      return !saver.dirty() && !s.proposal && !s.drag && !s.conflict && s.save.state !== "saving";
    };
    const follow = async (revision: number) => {
      if (revision <= store.getState().revision || !idle()) return;
      const current = await api.load(id);
      if (!gone && idle() && current.revision > store.getState().revision) saver.takeIn(current);
    };
    void ask();
    const unsubscribe = store.subscribe((s, before) => {
      if (s.selection[0] === before.selection[0]) return;
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), soon);
    });
    const leave = () => void api.leave(id, page);
    window.addEventListener("pagehide", leave);
    return () => {
      gone = true;
      clearTimeout(timer);
      unsubscribe();
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [store, saver]);
}
