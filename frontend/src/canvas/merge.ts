import { creativeSlug } from "./document";
import type { Creative, FunnelDocument, Link, Step } from "./types";

export type Side = "mine" | "theirs";

/** Two documents that began as one. What only one side touched is taken over as it is; what both touched waits for a choice. */
export interface Merge {
  base: FunnelDocument;
  mine: FunnelDocument;
  theirs: FunnelDocument;
  /** Steps both sides touched, in reading order; "" is what belongs to no step: the name, notes. */
  conflicts: string[];
  /** Steps that either side touched. */
  touched: { mine: ReadonlySet<string>; theirs: ReadonlySet<string> };
}

type Units = Map<string, { owner: string; value: unknown }>;

/** The smallest parts that are merged: a step's settings, one way out, one message, the name, one note. */
function unitsOf(doc: FunnelDocument): Units {
  const units: Units = new Map();
  const users = new Map<string, string>();
  for (const step of doc.graph.nodes) {
    units.set(`step:${step.id}`, { owner: step.id, value: step });
    const slug = creativeSlug(step);
    if (slug) users.set(slug, step.id);
  }
  for (const link of doc.graph.edges) units.set(`way:${link.from}/${link.port}`, { owner: link.from, value: link.to });
  for (const [slug, creative] of Object.entries(doc.creatives))
    units.set(`text:${slug}`, { owner: users.get(slug) ?? "", value: creative });
  units.set("name", { owner: "", value: doc.name });
  for (const [key, value] of Object.entries(doc.layout as Record<string, unknown>)) {
    if (isList(value)) for (const part of value) units.set(`list:${key}/${part.id}`, { owner: "", value: part });
    else if (isRecord(value))
      for (const [inner, part] of Object.entries(value))
        units.set(`layout:${key}/${inner}`, { owner: "", value: part });
    else units.set(`layout:${key}`, { owner: "", value });
  }
  return units;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Notes and the like: parts with a name of their own. */
function isList(value: unknown): value is { id: string }[] {
  return Array.isArray(value) && value.every((part) => isRecord(part) && typeof part.id === "string");
}

/** Members in one order, so that equal values have equal text. */
export function stable(value: unknown): string {
  return JSON.stringify(value, (_key, v: unknown) =>
    isRecord(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}

const textOf = (units: Units, key: string) => (units.has(key) ? stable(units.get(key)?.value) : undefined);

export function compareThree(base: FunnelDocument, mine: FunnelDocument, theirs: FunnelDocument): Merge {
  const [b, m, t] = [unitsOf(base), unitsOf(mine), unitsOf(theirs)];
  const both = new Set<string>();
  const touched = { mine: new Set<string>(), theirs: new Set<string>() };
  for (const key of new Set([...b.keys(), ...m.keys(), ...t.keys()])) {
    const [was, my, their] = [textOf(b, key), textOf(m, key), textOf(t, key)];
    const owner = (m.get(key) ?? t.get(key) ?? b.get(key))?.owner ?? "";
    if (my !== was) touched.mine.add(owner);
    if (their !== was) touched.theirs.add(owner);
    // Where two people put one card, the last one to put it wins: no question worth asking.
    if (my !== was && their !== was && my !== their && !key.startsWith("layout:")) both.add(owner);
  }
  // One side leads to a step the other took out.
  for (const [here, there] of [
    [mine, theirs],
    [theirs, mine],
  ] as const) {
    const alive = new Set(there.graph.nodes.map((n) => n.id));
    const known = new Set(base.graph.nodes.map((n) => n.id));
    const old = new Map(base.graph.edges.map((e) => [`${e.from}/${e.port}`, e.to]));
    for (const e of here.graph.edges)
      if (known.has(e.to) && !alive.has(e.to) && old.get(`${e.from}/${e.port}`) !== e.to) both.add(e.to);
  }
  const order = [...new Set([...mine.graph.nodes, ...theirs.graph.nodes, ...base.graph.nodes].map((n) => n.id)), ""];
  return { base, mine, theirs, conflicts: order.filter((id) => both.has(id)), touched };
}

/** The document the choices make. A step nobody chose about keeps mine. */
export function resolve(merge: Merge, choices: ReadonlyMap<string, Side> = new Map()): FunnelDocument {
  const { base, mine, theirs } = merge;
  const [b, m, t] = [unitsOf(base), unitsOf(mine), unitsOf(theirs)];
  const pick = (key: string): unknown => {
    const [was, my, their] = [textOf(b, key), textOf(m, key), textOf(t, key)];
    if (my === was) return t.get(key)?.value;
    if (their === was || my === their) return m.get(key)?.value;
    const owner = (m.get(key) ?? t.get(key) ?? b.get(key))?.owner ?? "";
    return (choices.get(owner) ?? "mine") === "mine" ? m.get(key)?.value : t.get(key)?.value;
  };
  const keys = [...new Set([...m.keys(), ...t.keys()])];
  const steps = new Map<string, Step>();
  const ways = new Map<string, Link>();
  const creatives: Record<string, Creative> = {};
  const layout: Record<string, unknown> = {};
  for (const key of keys) {
    const value = pick(key);
    if (value === undefined) continue;
    const [sort, rest] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
    if (sort === "step") steps.set(rest, value as Step);
    if (sort === "way") ways.set(rest, { ...wayOf(rest), to: value as string });
    if (sort === "text") creatives[rest] = value as Creative;
    if (sort === "layout") put(layout, rest, value);
    if (sort === "list") append(layout, rest.slice(0, rest.indexOf("/")), value);
  }
  for (const id of merge.conflicts) if (id) follow(merge, id, choices.get(id) ?? "mine", steps, ways, creatives);
  mendWays(base, steps, ways);
  dropStranded(merge, steps, ways);
  const used = new Set([...steps.values()].map(creativeSlug));
  for (const slug of Object.keys(creatives)) if (!used.has(slug)) delete creatives[slug];
  return {
    name: (pick("name") as string | undefined) ?? mine.name,
    graph: { ...mine.graph, nodes: [...steps.values()], edges: [...ways.values()] },
    creatives,
    layout: layout as FunnelDocument["layout"],
  };
}

function wayOf(key: string): { from: string; port: string } {
  const at = key.indexOf("/");
  return { from: key.slice(0, at), port: key.slice(at + 1) };
}

function put(layout: Record<string, unknown>, path: string, value: unknown): void {
  const at = path.indexOf("/");
  if (at < 0) {
    layout[path] = value;
    return;
  }
  const key = path.slice(0, at);
  const group = isRecord(layout[key]) ? (layout[key] as Record<string, unknown>) : {};
  group[path.slice(at + 1)] = value;
  layout[key] = group;
}

function append(layout: Record<string, unknown>, key: string, value: unknown): void {
  const list = layout[key];
  layout[key] = Array.isArray(list) ? [...list, value] : [value];
}

/** Where one side took the step out: it goes, or it stays where the other side had it, with its ways and its message. */
function follow(
  { mine, theirs }: Merge,
  id: string,
  side: Side,
  steps: Map<string, Step>,
  ways: Map<string, Link>,
  creatives: Record<string, Creative>,
): void {
  const has = (doc: FunnelDocument) => doc.graph.nodes.some((n) => n.id === id);
  if (has(mine) === has(theirs)) return;
  const from = side === "mine" ? mine : theirs;
  const step = from.graph.nodes.find((n) => n.id === id);
  if (!step) {
    steps.delete(id);
    for (const [key, way] of ways) if (way.from === id) ways.delete(key);
    return;
  }
  steps.set(id, step);
  for (const e of from.graph.edges)
    if (e.from === id || (e.to === id && steps.has(e.from))) ways.set(`${e.from}/${e.port}`, e);
  const slug = creativeSlug(step);
  const text = slug ? from.creatives[slug] : undefined;
  if (slug && text) creatives[slug] = text;
}

/** A way to a step that is gone leads to what that step led to once, or ends. */
function mendWays(base: FunnelDocument, steps: Map<string, Step>, ways: Map<string, Link>): void {
  for (const [key, way] of ways) {
    if (!steps.has(way.from)) ways.delete(key);
    else if (!steps.has(way.to)) {
      const seen = new Set<string>();
      let to: string | undefined = way.to;
      while (to && !steps.has(to) && !seen.has(to)) {
        seen.add(to);
        const gone: string = to;
        to = base.graph.edges.find((e) => e.from === gone)?.to;
      }
      if (to && steps.has(to) && to !== way.from) ways.set(key, { ...way, to });
      else ways.delete(key);
    }
  }
}

/** Takes out what could be reached on either side and cannot be reached any more. */
function dropStranded({ mine, theirs }: Merge, steps: Map<string, Step>, ways: Map<string, Link>): void {
  const heads = (doc: FunnelDocument) => {
    const led = new Set(doc.graph.edges.map((e) => e.to));
    return doc.graph.nodes.filter((n) => !led.has(n.id)).map((n) => n.id);
  };
  const alive = new Set<string>();
  const queue = [...heads(mine), ...heads(theirs)].filter((id) => steps.has(id));
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (alive.has(id)) continue;
    alive.add(id);
    for (const way of ways.values()) if (way.from === id) queue.push(way.to);
  }
  for (const id of [...steps.keys()]) if (!alive.has(id)) steps.delete(id);
  for (const [key, way] of ways) if (!steps.has(way.from) || !steps.has(way.to)) ways.delete(key);
}
