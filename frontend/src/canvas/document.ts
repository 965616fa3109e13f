import type { Catalogue } from "./catalogue";
import { defaultConfig } from "./catalogue";
import { releaseNotes } from "./notes";
import { below, linkAt, portsOf, stepById } from "./ports";
import type { Block, Creative, FunnelDocument, Graph, Step } from "./types";

/** A place where a step can go: the way out `port` of step `from`, whether it leads somewhere or ends. */
export interface Slot {
  from: string;
  port: string;
}

const prefixes: Record<string, string> = {
  send_email: "mail",
  send_sms: "sms",
  send_push: "push",
  send_letter: "letter",
  ai_generate: "ai",
  condition: "if",
  add_tag: "tag",
  remove_tag: "untag",
  set_field: "set",
  http_request: "http",
  create_payment: "pay",
  notify_team: "tell",
  book_slot: "book",
};

/** A short stable slug that no step has, such as "mail-2". Numbers of removed steps are not used again while higher ones exist. */
export function freshId(graph: Graph, kind: string): string {
  const prefix = prefixes[kind] ?? kind.replaceAll("_", "-");
  const numbers = graph.nodes
    .map((n) => n.id)
    .filter((id) => id.startsWith(`${prefix}-`))
    .map((id) => Number(id.slice(prefix.length + 1)) || 0);
  return `${prefix}-${Math.max(0, ...numbers) + 1}`;
}

export function emptyMail(): Creative {
  const blocks: Block[] = [
    { id: "text-1", type: "text", doc: { type: "doc", content: [{ type: "paragraph" }] } },
    { id: "footer-1", type: "footer" },
  ];
  return { channel: "email", subject: "", preheader: "", blocks };
}

/** An empty message of the channel a kind sends by. */
export function emptyCreative(kind: string): Creative {
  switch (kind) {
    case "send_sms":
      return { channel: "sms", text: "", blocks: [] };
    case "send_push":
      return { channel: "push", title: "", text: "", url: "", blocks: [] };
    case "send_letter":
      return { channel: "letter", blocks: emptyMail().blocks.filter((b) => b.type !== "footer") };
    default:
      return emptyMail();
  }
}

export function creativeSlug(step: Step): string | undefined {
  const ref = step.config.creative;
  return typeof ref === "string" && ref.startsWith("creative:") ? ref.slice("creative:".length) : undefined;
}

/** Gives a step a message of its own, an empty one where none is given. */
export function giveCreative(doc: FunnelDocument, step: Step, creative = emptyCreative(step.kind)): void {
  let slug = step.id;
  for (let n = 2; doc.creatives[slug]; n++) slug = `${step.id}-${n}`;
  doc.creatives[slug] = creative;
  step.config.creative = `creative:${slug}`;
}

function hasCreative(catalogue: Catalogue, kind: string): boolean {
  return catalogue.kind(kind).fields.some((f) => f.type === "ref" && f.of === "creative");
}

function setLink(graph: Graph, from: string, port: string, to: string | undefined): void {
  const at = graph.edges.findIndex((e) => e.from === from && e.port === port);
  const link = graph.edges[at];
  // A link that is led elsewhere stays where it is in the list: to undo it takes one patch, not one for each link behind it.
  if (link && to) link.to = to;
  else if (link) graph.edges.splice(at, 1);
  else if (to) graph.edges.push({ from, port, to });
}

/** Makes the step of `kind` with its defaults, and with an empty message where the kind sends one. */
export function makeStep(doc: FunnelDocument, catalogue: Catalogue, kind: string): Step {
  const step: Step = { id: freshId(doc.graph, kind), kind, name: "", config: defaultConfig(catalogue.kind(kind)) };
  if (hasCreative(catalogue, kind) && !step.config.creative) giveCreative(doc, step);
  return step;
}

/** Adds a step that nothing leads into (a goal). */
export function insertRoot(doc: FunnelDocument, catalogue: Catalogue, kind: string): string {
  const step = makeStep(doc, catalogue, kind);
  doc.graph.nodes.push(step);
  return step.id;
}

/** Inserts a step into a slot; what followed the slot follows the step's first way out. */
export function insertStep(doc: FunnelDocument, catalogue: Catalogue, slot: Slot, kind: string): string {
  const step = makeStep(doc, catalogue, kind);
  doc.graph.nodes.push(step);
  splice(doc, catalogue, slot, step);
  return step.id;
}

function splice(doc: FunnelDocument, catalogue: Catalogue, slot: Slot, step: Step): void {
  const after = linkAt(doc.graph, slot.from, slot.port)?.to;
  setLink(doc.graph, slot.from, slot.port, step.id);
  const first = portsOf(catalogue, step)[0];
  if (first && after) setLink(doc.graph, step.id, first.id, after);
}

/** Leads a way out to an existing step (a meeting of paths, or a loop), or nowhere. */
export function connect(doc: FunnelDocument, slot: Slot, to: string | undefined): void {
  setLink(doc.graph, slot.from, slot.port, to);
}

/** How a step is taken out: its neighbours joined by the way out `keep`, or everything below it gone too. */
export type RemoveHow = { keep: string } | "all";

/** The steps that removing `id` takes with it, itself included. */
export function removedBy(graph: Graph, id: string, how: RemoveHow): Set<string> {
  const keepTo = how === "all" ? undefined : linkAt(graph, id, how.keep)?.to;
  const next = keepTo === id ? undefined : keepTo;
  const edges = graph.edges
    .filter((e) => e.from !== id)
    .map((e) => (e.to === id && next ? { ...e, to: next } : e))
    .filter((e) => e.to !== id);
  const rest: Graph = { ...graph, nodes: graph.nodes.filter((n) => n.id !== id), edges };
  const before = below(graph, id);
  const heads = rest.nodes.filter((n) => !before.has(n.id)).map((n) => n.id);
  const alive = new Set<string>();
  for (const head of heads) for (const s of below(rest, head)) alive.add(s);
  if (!graph.edges.some((e) => e.to === id) && next) for (const s of below(rest, next)) alive.add(s);
  return new Set([...before].filter((s) => !alive.has(s)));
}

/** Takes a step out. Steps that could only be reached through it, and are not kept, go as well. */
export function removeStep(doc: FunnelDocument, catalogue: Catalogue, id: string, how?: RemoveHow): void {
  const step = stepById(doc.graph, id);
  if (!step) return;
  const first = how ?? { keep: portsOf(catalogue, step)[0]?.id ?? "" };
  const gone = removedBy(doc.graph, id, first);
  releaseNotes(doc, gone);
  const to = first === "all" ? undefined : linkAt(doc.graph, id, first.keep)?.to;
  const next = to === id || (to && gone.has(to)) ? undefined : to;
  for (const link of doc.graph.edges) if (link.to === id && next && next !== link.from) link.to = next;
  doc.graph.edges = doc.graph.edges.filter((e) => !gone.has(e.from) && !gone.has(e.to));
  doc.graph.nodes = doc.graph.nodes.filter((n) => !gone.has(n.id));
  dropUnusedCreatives(doc);
}

function dropUnusedCreatives(doc: FunnelDocument): void {
  const used = new Set(doc.graph.nodes.map(creativeSlug));
  for (const slug of Object.keys(doc.creatives)) if (!used.has(slug)) delete doc.creatives[slug];
}

/** Moves a step into another slot, by itself or with all that hangs below it. Call only when `canMove` allows it. */
export function moveStep(
  doc: FunnelDocument,
  catalogue: Catalogue,
  id: string,
  slot: Slot,
  how: "alone" | "below",
): void {
  const step = stepById(doc.graph, id);
  if (!step) return;
  if (how === "alone") {
    const first = portsOf(catalogue, step)[0];
    const next = first ? linkAt(doc.graph, id, first.id)?.to : undefined;
    for (const link of doc.graph.edges) if (link.to === id && next && next !== id && next !== link.from) link.to = next;
    doc.graph.edges = doc.graph.edges.filter((e) => e.to !== id && e.from !== id);
    splice(doc, catalogue, slot, step);
    return;
  }
  const after = linkAt(doc.graph, slot.from, slot.port)?.to;
  doc.graph.edges = doc.graph.edges.filter((e) => e.to !== id);
  setLink(doc.graph, slot.from, slot.port, id);
  if (after && after !== id) {
    const end = openEnd(doc.graph, catalogue, id);
    if (end && !below(doc.graph, id).has(after)) setLink(doc.graph, end.from, end.port, after);
  }
}

/** The first way out below `id`, in port order, that leads nowhere yet. */
export function openEnd(graph: Graph, catalogue: Catalogue, id: string): Slot | undefined {
  const seen = new Set<string>();
  const visit = (at: string): Slot | undefined => {
    if (seen.has(at)) return undefined;
    seen.add(at);
    const step = stepById(graph, at);
    for (const port of step ? portsOf(catalogue, step) : []) {
      const link = linkAt(graph, at, port.id);
      if (!link) return { from: at, port: port.id };
      const found = visit(link.to);
      if (found) return found;
    }
    return undefined;
  };
  return visit(id);
}

/** Merges values into a step's config; `undefined` takes a key out. Links of ways out that vanish go with them. */
export function patchConfig(
  doc: FunnelDocument,
  catalogue: Catalogue,
  id: string,
  patch: Record<string, unknown>,
): void {
  const step = stepById(doc.graph, id);
  if (!step) return;
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) delete step.config[key];
    else step.config[key] = value;
  }
  const ports = new Set(portsOf(catalogue, step).map((p) => p.id));
  doc.graph.edges = doc.graph.edges.filter((e) => e.from !== id || ports.has(e.port));
}

export function patchCreative(doc: FunnelDocument, slug: string, edit: (creative: Creative) => void): void {
  const creative = doc.creatives[slug];
  if (creative) edit(creative);
}

export function renameStep(doc: FunnelDocument, id: string, name: string): void {
  const step = stepById(doc.graph, id);
  if (step) step.name = name;
}

export function toggleOff(doc: FunnelDocument, id: string): void {
  const step = stepById(doc.graph, id);
  if (!step) return;
  if (step.off) delete step.off;
  else step.off = true;
}
