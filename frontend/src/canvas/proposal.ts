import { produce } from "immer";
import type { AiDraft, AiGroup, AiSelected } from "./answers";
import type { Catalogue } from "./catalogue";
import { creativeSlug, removeStep } from "./document";
import { triggersOf } from "./sizes";
import type { Creative, FunnelDocument, Graph, Problem, Step } from "./types";

export type Difference = "added" | "changed" | "removed" | "moved";

export interface Suggestion {
  step: string;
  what: Difference;
  kind: string;
}

/** What the assistant suggests, as a document beside the draft. The draft changes only when it is accepted. */
export interface Proposal {
  id: string;
  prompt: string;
  engine: string;
  explanation: string;
  assumptions: string[];
  /** What is wrong with it or was assumed, by step: the marks of its cards. */
  problems: Problem[];
  base: FunnelDocument;
  doc: FunnelDocument;
  suggestions: Suggestion[];
  accepted: ReadonlySet<string>;
  /** Of a change: parts that stand or fall by themselves. None for a whole new funnel. */
  groups: AiGroup[];
  taken: ReadonlySet<number>;
  refused: ReadonlySet<number>;
  /** A name for the funnel. */
  name?: string | undefined;
  expected?: AiDraft["expected"];
  /** It is still being drawn. */
  partial?: boolean;
}

const plain = (graph: AiDraft["graph"]): Graph => ({
  schema: 1,
  nodes: (graph?.nodes ?? []).map((n) => ({ ...n, name: n.name ?? "", config: n.config ?? {} })),
  edges: graph?.edges ?? [],
});

export function makeProposal(prompt: string, base: FunnelDocument, draft: AiDraft): Proposal {
  const doc: FunnelDocument = { ...base, graph: plain(draft.graph), creatives: draft.creatives ?? {} };
  return {
    id: draft.task.id,
    prompt,
    engine: draft.engine ?? "",
    explanation: draft.explanation ?? "",
    assumptions: draft.assumptions ?? [],
    problems: [...(draft.problems ?? []), ...assumed(draft.assumptions ?? [], doc)],
    base,
    doc,
    suggestions: compare(base, doc),
    accepted: new Set(),
    groups: draft.change?.groups ?? [],
    taken: new Set(),
    refused: new Set(),
    name: draft.change?.name ?? draft.name,
    expected: draft.expected,
  };
}

/** What is drawn so far, as ghosts that nobody can accept yet. */
export function partialProposal(prompt: string, base: FunnelDocument, graph: NonNullable<AiDraft["graph"]>): Proposal {
  const made = makeProposal(prompt, base, { task: { id: "", state: "running" }, graph, creatives: {} });
  return { ...made, partial: true };
}

/**
 * What was assumed, on the card it is about: the one whose settings or message hold what the sentence names in quotes.
 * Sentences about nothing in particular stay with the suggestion as a whole.
 */
function assumed(sentences: readonly string[], doc: FunnelDocument): Problem[] {
  const texts = doc.graph.nodes.map((n) => ({
    node: n.id,
    text: JSON.stringify([n.config, doc.creatives[creativeSlug(n) ?? ""]?.blocks ?? null]),
  }));
  return sentences.flatMap((message) => {
    const named = [...message.matchAll(/["“„«]([^"“”„«»]+)["”»]/g)].map((m) => m[1] ?? "");
    const at = texts.find(({ text }) => named.some((name) => text.includes(name)));
    return at ? [{ code: "assumed", severity: "warning" as const, node: at.node, message }] : [];
  });
}

/** The same suggestion after it was asked to be otherwise: one step from the draft still, and its name and assumptions kept. */
export function refined(p: Proposal, draft: AiDraft): Proposal {
  const assumptions = [...new Set([...p.assumptions, ...(draft.assumptions ?? [])])];
  const next = makeProposal(p.prompt, p.base, { ...draft, assumptions });
  return { ...next, groups: [], name: p.name, accepted: new Set(), expected: draft.expected ?? p.expected };
}

/** What differs, computed from the documents and never from anybody's words, in the order of the new one. */
export function compare(base: FunnelDocument, next: FunnelDocument): Suggestion[] {
  const before = new Map(base.graph.nodes.map((n) => [n.id, n]));
  const after = new Set(next.graph.nodes.map((n) => n.id));
  const found: Suggestion[] = [];
  for (const n of next.graph.nodes) {
    const old = before.get(n.id);
    if (!old || old.kind !== n.kind) found.push({ step: n.id, what: "added", kind: n.kind });
    else if (content(base, old) !== content(next, n)) found.push({ step: n.id, what: "changed", kind: n.kind });
    else if (links(base, n.id) !== links(next, n.id)) found.push({ step: n.id, what: "moved", kind: n.kind });
  }
  for (const n of base.graph.nodes) if (!after.has(n.id)) found.push({ step: n.id, what: "removed", kind: n.kind });
  // A new neighbour changes a step's links too; that is not a change of its own.
  const own = found.filter((f) => f.what !== "moved");
  return own.length > 0 ? own : found;
}

function content(doc: FunnelDocument, step: Step): string {
  return stable([step.name, step.config, step.off ?? false, doc.creatives[creativeSlug(step) ?? ""] ?? null]);
}

function links(doc: FunnelDocument, id: string): string {
  return stable(
    doc.graph.edges
      .filter((e) => e.from === id)
      .map((e) => `${e.port}>${e.to}`)
      .sort(),
  );
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_key, v: unknown) =>
    v && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}

export function acceptOne(p: Proposal, step: string): Proposal {
  return { ...p, accepted: new Set([...p.accepted, step]) };
}

/** Takes one suggestion back: a new step is taken out again, a changed one gets its old content. */
export function rejectOne(p: Proposal, catalogue: Catalogue, suggestion: Suggestion): Proposal {
  const doc = produce(p.doc, (draft) => {
    if (suggestion.what === "added") removeStep(draft, catalogue, suggestion.step);
    const at = draft.graph.nodes.findIndex((n) => n.id === suggestion.step);
    const old = p.base.graph.nodes.find((n) => n.id === suggestion.step);
    if (suggestion.what !== "changed" || at < 0 || !old) return;
    draft.graph.nodes[at] = old;
    const slug = creativeSlug(old);
    const creative: Creative | undefined = slug ? p.base.creatives[slug] : undefined;
    if (slug && creative) draft.creatives[slug] = creative;
  });
  return { ...p, doc, suggestions: compare(p.base, doc) };
}

/** Parts of a change nobody has decided about. */
export function openGroups(p: Proposal): AiGroup[] {
  return p.groups.filter((g) => !p.taken.has(g.id) && !p.refused.has(g.id));
}

/** A change without its refused parts, as the server put it together. */
export function without(p: Proposal, refused: ReadonlySet<number>, selected: AiSelected): Proposal {
  const doc: FunnelDocument = { ...p.base, graph: plain(selected.graph), creatives: selected.creatives };
  return { ...p, doc, refused, name: selected.name, suggestions: compare(p.base, doc) };
}

/** The document an accepted suggestion becomes; a funnel that nobody has named yet gets its name. */
export function acceptInto(draft: FunnelDocument, p: Proposal, nameless: (name: string) => boolean): void {
  draft.graph = p.doc.graph;
  draft.creatives = p.doc.creatives;
  if (p.name && (p.groups.length > 0 || nameless(draft.name))) draft.name = p.name;
}

/** How many steps differ. Where ways meet is none, and neither is the empty start of a funnel that nobody has begun. */
export function counted(p: Proposal): Record<Difference, number> {
  const n = { added: 0, changed: 0, removed: 0, moved: 0 };
  const empty = (id: string) => {
    const step = p.base.graph.nodes.find((x) => x.id === id);
    return step?.kind === "entry" && triggersOf(step).length === 0;
  };
  for (const s of p.suggestions) if (s.kind !== "join" && !(s.what === "removed" && empty(s.step))) n[s.what]++;
  return n;
}
