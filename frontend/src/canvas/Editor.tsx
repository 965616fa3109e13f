import { useLingui } from "@lingui/react/macro";
import { useMediaQuery } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { useSession } from "@/api/session";
import { Inspector, prepareOffline } from "@/inspector/Inspector";
import type { Loaded } from "./answers";
import { type Autosave, storedHistory, useAutosaving } from "./autosave";
import { Canvas } from "./Canvas";
import { makeCatalogue } from "./catalogue";
import { CommentsPanel } from "./comments/CommentsPanel";
import { useTalks } from "./comments/comments";
import { Dialogs } from "./dialogs/Dialogs";
import e from "./editor.module.css";
import { onRefused, onRemoved, onSaved, undoIt } from "./edits";
import { FirstCard } from "./FirstCard";
import { Header } from "./Header";
import { BehindNumber } from "./insight/BehindNumber";
import { PeriodSwitch } from "./insight/PeriodSwitch";
import { useCounts } from "./insight/useCounts";
import type { Kept } from "./kept";
import { onClipboard, onKey } from "./keys";
import { Outline } from "./Outline";
import { Picker } from "./Picker";
import { Prompt } from "./Prompt";
import { usePresence } from "./presence";
import { ReviewBar, ReviewList } from "./Review";
import { SimulationPanel } from "./SimulationPanel";
import { commit, EditorContext, endTyping, makeStore, select, set, useEditor, useEditorStore } from "./store";
import { usePrinting } from "./treeKeys";
import { bring, decodeTrial } from "./trial/link";
import type { CatalogueData } from "./types";
import { keepSelection, keptSelection, mapKey } from "./viewport";

const AutosaveContext = createContext<Autosave | null>(null);

/** Saves what is pending before something is asked of the server about the draft. */
export function useAutosave(): Autosave | null {
  return useContext(AutosaveContext);
}

interface EditorProps {
  loaded: Loaded;
  /** What an earlier page could not send. */
  kept?: Kept | undefined;
  data: CatalogueData;
  step?: string | undefined;
  ask?: string | undefined;
  /** A simulation that a link is about. */
  simulate?: string | undefined;
}

export function Editor({ loaded, kept, data, step, ask, simulate }: EditorProps) {
  const author = useSession().user.name;
  const [store] = useState(() => {
    const id = loaded.funnel.id;
    const made = makeStore(loaded, makeCatalogue(data), storedHistory(id, kept?.revision ?? loaded.revision));
    if (kept) {
      set(made, { revision: kept.revision });
      commit(made, kept.doc, made.getState().history);
    }
    // What can still be undone of an earlier visit is in the live version where the draft does not differ from it.
    else if (!loaded.funnel.changed) set(made, { published: made.getState().history.past.at(-1)?.at });
    const here = made.getState().picture.steps;
    const chosen = (step ? [step] : keptSelection(id)).filter((s) => here.has(s));
    if (chosen.length > 0) select(made, chosen);
    set(made, { map: localStorage.getItem(mapKey) !== "closed", ...(author ? { author } : {}) });
    const trial = simulate && decodeTrial(simulate);
    if (trial) {
      bring(made, trial);
      set(made, { simulating: true });
    }
    if (ask) set(made, { prompting: true, asked: ask });
    return made;
  });
  return (
    <EditorContext.Provider value={store}>
      <Frame kept={kept} />
    </EditorContext.Provider>
  );
}

function Frame({ kept }: { kept: Kept | undefined }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const saver = useAutosaving(store, kept);
  usePresence(store, saver);
  useTalks(store);
  const [printing, setPrinting] = useState(false);
  usePrinting(useCallback((on: boolean) => flushSync(() => setPrinting(on)), []));
  const phone = useMediaQuery("(max-width: 767px)", false, { getInitialValueInEffect: false });
  const view = useEditor((s) => s.view);
  const simulating = useEditor((s) => s.simulating);
  const talking = useEditor((s) => s.talking === true);
  const reviewing = useEditor((s) => s.proposal !== undefined && !s.proposal.partial);
  const said = useEditor((s) => s.said);
  const outline = phone || printing || view === "outline";
  useCounts();
  useEffect(prepareOffline, []);

  useEffect(() => {
    const keys = (event: KeyboardEvent) => onKey(store, event);
    const clipboard = (event: ClipboardEvent) => onClipboard(store, event);
    const burst = () => endTyping(store);
    window.addEventListener("keydown", keys);
    window.addEventListener("focusout", burst);
    for (const type of ["copy", "cut", "paste"] as const) window.addEventListener(type, clipboard);
    return () => {
      window.removeEventListener("keydown", keys);
      window.removeEventListener("focusout", burst);
      for (const type of ["copy", "cut", "paste"] as const) window.removeEventListener(type, clipboard);
    };
  }, [store]);
  useToasts();
  useEffect(() => {
    const { id } = store.getState().funnel;
    return store.subscribe((s, before) => {
      if (s.selection !== before.selection) keepSelection(id, s.selection);
      if (s.map !== before.map) localStorage.setItem(mapKey, s.map ? "open" : "closed");
    });
  }, [store]);

  useBlocker({
    shouldBlockFn: async () => {
      if (!saver?.dirty()) return false;
      if (await saver.flush()) return false;
      return !window.confirm(t`Some changes are not on the server yet. They are kept on this device. Leave anyway?`);
    },
    enableBeforeUnload: false,
  });

  return (
    <AutosaveContext.Provider value={saver}>
      <div className={e.editor} data-phone={phone}>
        <Header phone={phone} />
        <div className={e.work}>
          {outline ? (
            <Outline phone={phone} />
          ) : (
            <Canvas>
              <FirstCard />
              <PeriodSwitch />
              {reviewing ? <ReviewList /> : null}
              {reviewing ? <ReviewBar /> : simulating ? null : <Prompt />}
            </Canvas>
          )}
          {simulating ? <SimulationPanel phone={phone} /> : talking ? <CommentsPanel /> : <Inspector phone={phone} />}
        </div>
        {outline && reviewing && <ReviewBar phone />}
        <Picker />
        <Dialogs />
        <BehindNumber />
        <output className="visually-hidden" aria-live="polite">
          {said}
        </output>
      </div>
    </AutosaveContext.Provider>
  );
}

/** What edits tell: a removal offers Undo for ten seconds, as long as it is what Undo would take back. */
function useToasts(): void {
  const { t } = useLingui();
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(() => {
    let shown = 0;
    const offer = (text: string, label: string, act: () => void) => {
      const id = `edit-${++shown}`;
      notifications.show({
        id,
        autoClose: 10_000,
        message: (
          <span className={e.toast}>
            <span>{text}</span>
            <button
              type="button"
              onClick={() => {
                notifications.hide(id);
                act();
              }}
            >
              {label}
            </button>
          </span>
        ),
      });
      return id;
    };
    onRemoved((what, from) => {
      const entry = from.getState().history.past.at(-1);
      const id = offer(t`Removed: ${what}`, t`Undo`, () => undoIt(from));
      const stop = from.subscribe((s) => {
        if (s.history.past.at(-1) === entry) return;
        stop();
        notifications.hide(id);
      });
    });
    onRefused((why) => notifications.show({ message: why, role: "alert" }));
    onSaved((name, template) => {
      void client.invalidateQueries({ queryKey: ["templates"] });
      offer(t`Saved as a template: ${name}`, t`Look at it`, () => {
        void navigate({ to: "/funnels/new", search: { template } });
      });
    });
    return () => {
      onRemoved(undefined);
      onRefused(undefined);
      onSaved(undefined);
    };
  }, [t, navigate, client]);
}

/** The step the inspector is about. */
export function useSelectedStep() {
  const id = useEditor((s) => s.selection[0]);
  const nodes = useEditor((s) => s.shown.graph.nodes);
  return useMemo(() => nodes.find((n) => n.id === id), [nodes, id]);
}
