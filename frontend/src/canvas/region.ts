import { produce } from "immer";
import type { Catalogue } from "./catalogue";
import { openEnd, type RemoveHow, removeStep, type Slot } from "./document";
import { below, linkAt, portsOf, stepById } from "./ports";
import { allSlots } from "./slots";
import { structureOf } from "./structure";
import type { FunnelDocument, Graph } from "./types";

/** Several steps as one thing: what is taken out, moved and asked about together. */

/** The ids in the order in which the funnel is read; what is not there, and what there is exactly one of, left out. */
export function regionOf(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  return structureOf(doc.graph, catalogue).order.filter((id) => {
    const step = stepById(doc.graph, id);
    return wanted.has(id) && step !== undefined && !catalogue.kind(step.kind).single;
  });
}

/** The linked ways of a fork; a step with one way out has none to choose from. */
function branches(doc: FunnelDocument, catalogue: Catalogue, id: string): string[] {
  const step = stepById(doc.graph, id);
  const ways = step ? portsOf(catalogue, step) : [];
  return ways.length > 1 ? ways.filter((p) => linkAt(doc.graph, id, p.id)).map((p) => p.id) : [];
}

function isFork(doc: FunnelDocument, catalogue: Catalogue, id: string): boolean {
  const step = stepById(doc.graph, id);
  return step !== undefined && portsOf(catalogue, step).length > 1;
}

/** Plain steps, then forks from the deepest up: then what still hangs below a fork is what was not chosen. */
function inOrder(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[]): string[] {
  const region = regionOf(doc, catalogue, ids);
  const forks = region.filter((id) => isFork(doc, catalogue, id));
  return [...region.filter((id) => !forks.includes(id)), ...forks.reverse()];
}

/** The forks whose removal needs a choice: something that was not chosen hangs below them. */
export function forksToAsk(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[]): string[] {
  const ask: string[] = [];
  produce(doc, (draft) => {
    for (const id of inOrder(doc, catalogue, ids)) {
      if (branches(draft, catalogue, id).length > 0) ask.push(id);
      removeStep(draft, catalogue, id, { keep: keptWay(draft, catalogue, id) });
    }
  });
  return ask;
}

function keptWay(doc: FunnelDocument, catalogue: Catalogue, id: string, how?: RemoveHow): string {
  const step = stepById(doc.graph, id);
  const ways = step ? portsOf(catalogue, step).map((p) => p.id) : [];
  if (how && how !== "all" && ways.includes(how.keep)) return how.keep;
  return branches(doc, catalogue, id)[0] ?? ways[0] ?? "";
}

/** Takes steps out and joins what was around them. A fork keeps the way `how` names, else its first that leads somewhere. */
export function removeSteps(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[], how?: RemoveHow): void {
  for (const id of inOrder(doc, catalogue, ids)) {
    if (!stepById(doc.graph, id)) continue;
    const fork = isFork(doc, catalogue, id);
    removeStep(doc, catalogue, id, fork && how === "all" ? "all" : { keep: keptWay(doc, catalogue, id, how) });
  }
}

/** The steps that go when these are removed so, the chosen ones included. */
export function goneWith(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[], how?: RemoveHow): string[] {
  const after = produce(doc, (draft) => removeSteps(draft, catalogue, ids, how));
  const left = new Set(after.graph.nodes.map((n) => n.id));
  return doc.graph.nodes.map((n) => n.id).filter((id) => !left.has(id));
}

/** Moves steps, with the links between them, into a slot; what was around them is joined. Call only when `placesFor` lists it. */
export function moveSteps(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[], slot: Slot): void {
  const region = regionOf(doc, catalogue, ids);
  takeOut(doc.graph, catalogue, new Set(region));
  chain(doc.graph, catalogue, headsOf(doc.graph, region), slot);
}

/** Cuts a region loose: each way into it goes on to what followed it. */
function takeOut(graph: Graph, catalogue: Catalogue, inside: ReadonlySet<string>): void {
  const exits = graph.edges
    .filter((e) => !inside.has(e.from) && inside.has(e.to))
    .map((e) => ({ from: e.from, port: e.port, to: exitOf(graph, catalogue, e.to, inside) }));
  graph.edges = graph.edges.filter((e) => inside.has(e.from) === inside.has(e.to));
  for (const e of exits) if (e.to && e.to !== e.from) link(graph, e, e.to);
}

/** The first step outside a region that one reaches from `id`, in port order. */
function exitOf(graph: Graph, catalogue: Catalogue, id: string, inside: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  const visit = (at: string): string | undefined => {
    if (!inside.has(at)) return at;
    if (seen.has(at)) return undefined;
    seen.add(at);
    const step = stepById(graph, at);
    for (const port of step ? portsOf(catalogue, step) : []) {
      const to = linkAt(graph, at, port.id)?.to;
      const found = to ? visit(to) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  return visit(id);
}

/** The steps of a region that none of it leads into. */
export function headsOf(graph: Graph, region: readonly string[]): string[] {
  const inside = new Set(region);
  const led = new Set(graph.edges.filter((e) => inside.has(e.from) && inside.has(e.to)).map((e) => e.to));
  const heads = region.filter((id) => !led.has(id));
  return heads.length > 0 ? heads : region.slice(0, 1);
}

/** Puts parts one behind the other into a slot: each goes to the first open end of the one before. */
export function chain(graph: Graph, catalogue: Catalogue, heads: readonly string[], slot: Slot | undefined): void {
  const after = slot ? linkAt(graph, slot.from, slot.port)?.to : undefined;
  let end = slot;
  for (const head of heads) {
    const step = stepById(graph, head);
    if (!step || catalogue.kind(step.kind).no_in) continue;
    if (end) link(graph, end, head);
    end = openEnd(graph, catalogue, head) ?? end;
  }
  if (after && end && end !== slot && !below(graph, after).has(end.from)) link(graph, end, after);
}

function link(graph: Graph, slot: Slot, to: string): void {
  graph.edges = graph.edges.filter((e) => e.from !== slot.from || e.port !== slot.port);
  graph.edges.push({ from: slot.from, port: slot.port, to });
}

/** The slots that steps can be moved into together; none when taking them out would cut others off. */
export function placesFor(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[]): Slot[] {
  const region = new Set(regionOf(doc, catalogue, ids));
  const rooted = [...region].some((id) => catalogue.kind(stepById(doc.graph, id)?.kind ?? "").no_in);
  if (region.size === 0 || rooted) return [];
  const rest = produce(doc, (draft) => takeOut(draft.graph, catalogue, region));
  const now = reached(rest.graph, catalogue);
  for (const id of reached(doc.graph, catalogue)) if (!now.has(id) && !region.has(id)) return [];
  return allSlots(doc, catalogue).filter((s) => {
    const to = linkAt(doc.graph, s.from, s.port)?.to;
    return !region.has(s.from) && (to === undefined || !region.has(to));
  });
}

function reached(graph: Graph, catalogue: Catalogue): Set<string> {
  const all = new Set<string>();
  for (const n of graph.nodes) if (catalogue.kind(n.kind).no_in) for (const id of below(graph, n.id)) all.add(id);
  return all;
}
