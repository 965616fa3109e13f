import { createContext, useContext } from "react";
import { useStore } from "zustand";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Counts, Finding, Funnel, Loaded, Present } from "./answers";
import { type Catalogue, incomplete } from "./catalogue";
import { creativeSlug, type Slot } from "./document";
import { emptyFlow, type Flow, toFlow } from "./flow";
import { placeFreely } from "./freeLayout";
import * as history from "./history";
import { layout, type Picture } from "./layout";
import type { Guide } from "./placing";
import { problemsByStep as sorted } from "./problems";
import type { Proposal } from "./proposal";
import type { SimulationView } from "./simulation";
import { sizes } from "./sizes";
import type { FunnelDocument, Problem } from "./types";

/** Where the picker was asked for: a slot, or nowhere yet (the palette button). */
export interface PickerAt {
  slot?: Slot;
  /** Viewport pixels to open beside. */
  x: number;
  y: number;
}

export type Dialog =
  | { kind: "delete"; steps: string[] }
  | { kind: "publish"; version?: number }
  | { kind: "versions" }
  | { kind: "why" }
  | { kind: "test-event" }
  | { kind: "texts"; step: string }
  | { kind: "conflict" }
  | { kind: "shortcuts" }
  | { kind: "palette"; of: "all" | "steps" }
  | { kind: "menu"; x: number; y: number; on: "step" | "ground" | "edge" }
  | { kind: "drop"; step: string; slot: Slot; x: number; y: number }
  | { kind: "mail"; step: string };

export type Save =
  | { state: "pending" }
  | { state: "saving" }
  | { state: "saved"; at: number }
  | { state: "offline"; changes: number }
  | { state: "conflict" }
  | { state: "refused"; why: string };

/** What became of a step between two versions. */
export type Mark = "added" | "removed" | "changed" | "moved";

export interface Drag {
  step?: string;
  kind?: string;
  title: string;
  slots: Slot[];
  over?: Slot;
  /** The card itself follows the pointer, as the picture is free. */
  free?: boolean;
}

/** Steps on their way to another place, without dragging: the places they may go to, and the one that is shown. */
export interface Moving {
  steps: string[];
  slots: Slot[];
  at: number;
}

export interface Camera {
  centre: (step: string, how?: "if-hidden") => void;
  /** Shows everything, or these steps. */
  fit: (steps?: readonly string[]) => void;
  /** The middle of what is in sight, on the ground. */
  middle: () => { x: number; y: number };
  /** The first look at the funnel, as if it were opened for the first time. */
  start: () => void;
  pan: (x: number, y: number) => void;
  /** How many pixels of the screen one of the ground is. */
  scale: () => number;
  zoom: (factor: number | "100%") => void;
}

export interface EditorState {
  funnel: Funnel;
  catalogue: Catalogue;
  /** The draft, the only truth of the editor. Changed by `apply`, undo and redo alone. */
  doc: FunnelDocument;
  history: history.History;
  /** When the change was made that the live version ends with: what was done since, or taken back, is the draft. */
  published?: number | undefined;
  revision: number;
  /** What is drawn: the draft, or what the assistant suggests. */
  shown: FunnelDocument;
  picture: Picture;
  flow: Flow;
  selection: string[];
  /** The chosen link: what is added or pasted lands there. */
  edge?: Slot;
  /** The note that is chosen, and whether it is being written. */
  note?: { id: string; writing: boolean };
  moving?: Moving;
  /** Who signs the notes. */
  author?: string;
  /** Whether the small map is open. */
  map: boolean;
  /** Steps added in this session and not left yet: "Not set up yet", never red. */
  fresh: ReadonlySet<string>;
  /** The fresh steps that are not complete. */
  unset: ReadonlySet<string>;
  problems: Problem[];
  /** Problems worth showing, by step: those of fresh steps wait. */
  problemsBy: ReadonlyMap<string, Problem[]>;
  save: Save;
  /** Somebody saved first and changed the same steps: theirs, and what both began from. */
  conflict?: { current: Loaded; base: FunnelDocument };
  /** The panel of comments is open. */
  talking?: boolean;
  /** How many talks about each step are open. */
  talks?: ReadonlyMap<string, number>;
  /** Nothing can be changed: an earlier version is looked at. */
  readOnly?: boolean;
  /** How the steps differ from another version, while two are compared. */
  marks?: ReadonlyMap<string, Mark>;
  /** Who else looks at this funnel. */
  people: Present[];
  counts?: Counts;
  /** What the watch over the live version found, by step. */
  findings?: Record<string, Finding[]>;
  picker?: PickerAt;
  dialog?: Dialog;
  drag?: Drag;
  /** The field the inspector is to focus; `n` makes a repeated wish a new one. */
  wish?: { step: string; field: string; n: number };
  /** The number of the last wish that was fulfilled: a panel that opens again must not fulfil it again. */
  fulfilled: number;
  tab: "setup" | "content" | "results";
  proposal?: Proposal;
  simulation?: SimulationView;
  prompting: boolean;
  /** A sentence brought along from elsewhere, to be asked at once. */
  asked?: string;
  simulating: boolean;
  /** The task of the rehearsal that was started last here; it goes on while the panel is closed. */
  rehearsal?: string;
  view: "canvas" | "outline";
  /** The last sentence for the live region. */
  said: string;
  camera?: Camera;
  /** Where cards are while they are being put freely, and the lines they are in. */
  placing?: Record<string, [number, number]>;
  guides?: Guide[];
}

export type EditorStore = StoreApi<EditorState>;

const noProblems: Problem[] = [];

export function problemsOf(state: EditorState, step: string): Problem[] {
  return state.problemsBy.get(step) ?? noProblems;
}

/** What is wrong with what is shown: a suggestion has problems of its own. */
export function problemsNow(state: { proposal?: Proposal; problems: Problem[] }): Problem[] {
  return state.proposal?.problems ?? state.problems;
}

/** Recomputes what follows from the document: the picture, the problems by step. */
function derive(
  state: Pick<EditorState, "catalogue" | "doc" | "problems" | "fresh" | "flow" | "placing"> &
    Partial<Pick<EditorState, "proposal" | "problemsBy">>,
): Pick<EditorState, "shown" | "picture" | "flow" | "problemsBy" | "unset"> {
  const shown = state.proposal?.doc ?? state.doc;
  const problems = problemsNow(state);
  const failing = new Set(problems.flatMap((p) => (p.node && p.severity === "error" ? [p.node] : [])));
  const unset = new Set(
    shown.graph.nodes
      .filter((n) => state.fresh.has(n.id) && (failing.has(n.id) || incomplete(state.catalogue.kind(n.kind), n.config)))
      .map((n) => n.id),
  );
  const picture = pictureOf({ catalogue: state.catalogue, doc: shown, unset, placing: state.placing });
  const problemsBy = sorted(
    problems.filter((p) => !state.fresh.has(p.node ?? "")),
    state.problemsBy,
  );
  return { shown, picture, problemsBy, unset, flow: toFlow(shown.graph, picture, state.flow) };
}

/** Where everything stands, by itself or as a person has put it. */
export function pictureOf(of: {
  catalogue: Catalogue;
  doc: FunnelDocument;
  unset: ReadonlySet<string>;
  placing?: Record<string, [number, number]> | undefined;
}): Picture {
  const { direction, free, positions } = of.doc.layout;
  const grows = direction === "right" ? "right" : "down";
  const size = sizes(of.catalogue, (id) => of.unset.has(id), grows);
  const picture = layout(of.doc.graph, of.catalogue, size, grows);
  return free ? placeFreely(picture, { ...positions, ...of.placing }) : picture;
}

export function documentOf(loaded: Loaded): FunnelDocument {
  return {
    name: loaded.funnel.name,
    graph: {
      ...loaded.graph,
      nodes: loaded.graph.nodes.map((n) => ({ ...n, name: n.name ?? "", config: n.config ?? {} })),
      edges: loaded.graph.edges ?? [],
    },
    creatives: loaded.creatives ?? {},
    layout: loaded.layout ?? {},
  };
}

export function makeStore(loaded: Loaded, catalogue: Catalogue, stored: history.History): EditorStore {
  const doc = documentOf(loaded);
  const base = {
    funnel: loaded.funnel,
    catalogue,
    doc,
    history: stored,
    revision: loaded.revision,
    selection: [],
    // A funnel of which only the question "What starts this?" exists is not wrong: it is not set up yet.
    fresh: new Set(doc.graph.nodes.length === 1 ? doc.graph.nodes.map((n) => n.id) : []),
    problems: loaded.problems ?? [],
    save: { state: "saved", at: Date.parse(loaded.funnel.updated_at) } as Save,
    people: [],
    tab: "setup" as const,
    prompting: false,
    fulfilled: 0,
    simulating: false,
    view: "canvas" as const,
    map: true,
    said: "",
    flow: emptyFlow,
  };
  return hushable(createStore<EditorState>(() => ({ ...base, ...derive(base) })));
}

const hushed = new WeakMap<EditorStore, { begin: () => void; end: () => void }>();

/** A store whose listeners can be made to hear of several changes as of one. */
function hushable(store: EditorStore): EditorStore {
  const listeners = new Set<Parameters<EditorStore["subscribe"]>[0]>();
  let deep = 0;
  let first: EditorState | undefined;
  const tell = (now: EditorState, before: EditorState) => {
    for (const listener of listeners) listener(now, before);
  };
  store.subscribe((now, before) => {
    if (deep === 0) tell(now, before);
    else first ??= before;
  });
  const made: EditorStore = {
    ...store,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  hushed.set(made, {
    begin: () => deep++,
    end: () => {
      if (--deep > 0 || !first) return;
      const before = first;
      first = undefined;
      tell(store.getState(), before);
    },
  });
  return made;
}

/** Does several changes as one: every card hears once of what they come to, not of each. */
export function together<T>(store: EditorStore, work: () => T): T {
  const hush = hushed.get(store);
  hush?.begin();
  try {
    return work();
  } finally {
    hush?.end();
  }
}

/** The only way to change the draft: one labelled, undoable edit, and what changes `along` with it. Does nothing while a suggestion is open. */
export function apply(
  store: EditorStore,
  label: string,
  edit: (draft: FunnelDocument) => void,
  burst?: string,
  along?: (doc: FunnelDocument) => Partial<EditorState>,
): FunnelDocument {
  const s = store.getState();
  if (s.proposal || s.readOnly) return s.doc;
  const next = history.change(s.doc, s.history, edit, { label, at: Date.now(), ...(burst ? { burst } : {}) });
  if (next.doc !== s.doc) commit(store, next.doc, next.history, along?.(next.doc));
  return next.doc;
}

export function commit(
  store: EditorStore,
  doc: FunnelDocument,
  past: history.History,
  along?: Partial<EditorState>,
): void {
  store.setState((s) => {
    const alive = new Set(doc.graph.nodes.map((n) => n.id));
    const selection = s.selection.every((id) => alive.has(id))
      ? s.selection
      : s.selection.filter((id) => alive.has(id));
    const next = { ...s, doc, history: past, selection, ...along };
    return { ...next, ...derive(next), save: { state: "pending" } as Save };
  });
}

export function undo(store: EditorStore): string | undefined {
  return travel(store, history.undo);
}

export function redo(store: EditorStore): string | undefined {
  return travel(store, history.redo);
}

function travel(store: EditorStore, go: typeof history.undo): string | undefined {
  const s = store.getState();
  if (s.proposal) return undefined;
  const next = go(s.doc, s.history);
  if (!next.entry) return undefined;
  commit(store, next.doc, next.history);
  return next.entry.label;
}

/** Takes over new knowledge that decides how things are drawn, without touching the draft. */
export function set(store: EditorStore, patch: Partial<EditorState>): void {
  store.setState((s) => {
    const next = { ...s, ...patch };
    const redraw =
      "proposal" in patch || "problems" in patch || "fresh" in patch || "doc" in patch || "placing" in patch;
    return redraw ? { ...next, ...derive(next) } : next;
  });
}

/** Selects steps. Leaving a fresh step ends its grace: from now on its problems show. */
export function select(store: EditorStore, ids: string[], tab?: "setup" | "content"): void {
  const s = store.getState();
  const same = ids.length === s.selection.length && ids.every((id, i) => id === s.selection[i]);
  if (same && !tab && !s.edge && !s.note) return;
  const left = s.selection.filter((id) => !ids.includes(id) && s.fresh.has(id));
  const first = s.doc.graph.nodes.find((n) => n.id === ids[0]);
  const patch: Partial<EditorState> = {
    selection: ids,
    edge: undefined,
    note: undefined,
    history: history.endBurst(s.history),
    tab: tab ?? (first && creativeSlug(first) ? "content" : "setup"),
  };
  if (left.length > 0) patch.fresh = new Set([...s.fresh].filter((id) => !left.includes(id)));
  set(store, patch);
}

/** A field was left: what is typed next is an entry of its own. */
export function endTyping(store: EditorStore): void {
  const { history: past } = store.getState();
  const next = history.endBurst(past);
  if (next !== past) store.setState({ history: next });
}

export function say(store: EditorStore, sentence: string): void {
  store.setState({ said: sentence });
}

export const EditorContext = createContext<EditorStore | null>(null);

export function useEditorStore(): EditorStore {
  const store = useContext(EditorContext);
  if (!store) throw new Error("no editor around this component");
  return store;
}

export function useEditor<T>(selector: (state: EditorState) => T): T {
  return useStore(useEditorStore(), selector);
}
