import type { Catalogue } from "./catalogue";
import { creativeSlug, freshId, giveCreative, type Slot } from "./document";
import { stepById } from "./ports";
import { chain, headsOf, regionOf } from "./region";
import type { Creative, FunnelDocument, Link, Step } from "./types";

/** What this build writes, and the newest it reads. */
export const clipVersion = 1;

/** Steps on their way to another place, another funnel, another tab or another company's Lejek: whole, and bare of ids of ours. */
export interface Clip {
  lejek: "steps";
  version: number;
  steps: Step[];
  /** The links between these steps. */
  links: Link[];
  creatives: Record<string, Creative>;
}

/** Copies steps with the links between them and their messages. The entry stays: a funnel has exactly one. */
export function copySteps(doc: FunnelDocument, catalogue: Catalogue, ids: readonly string[]): Clip {
  const region = regionOf(doc, catalogue, ids);
  const inside = new Set(region);
  const steps = region.flatMap((id) => stepById(doc.graph, id) ?? []);
  const slugs = steps.flatMap((s) => creativeSlug(s) ?? []).filter((slug) => doc.creatives[slug]);
  return clone({
    lejek: "steps",
    version: clipVersion,
    steps,
    links: doc.graph.edges.filter((e) => inside.has(e.from) && inside.has(e.to)),
    creatives: Object.fromEntries(slugs.map((slug) => [slug, doc.creatives[slug]])) as Record<string, Creative>,
  });
}

export type Unreadable = "empty" | "foreign" | "newer";

/** Reads what lies on a clipboard: steps of ours, or why it is none. */
export function readClip(text: string): Clip | Unreadable {
  if (text.trim() === "") return "empty";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "foreign";
  }
  const clip = value as Partial<Clip> | null;
  if (!clip || typeof clip !== "object" || clip.lejek !== "steps") return "foreign";
  if (typeof clip.version !== "number") return "foreign";
  if (clip.version > clipVersion) return "newer";
  const steps = Array.isArray(clip.steps) ? clip.steps.filter(isStep) : [];
  if (steps.length === 0 || steps.length !== clip.steps?.length) return "foreign";
  const ids = new Set(steps.map((s) => s.id));
  const links = (Array.isArray(clip.links) ? clip.links : []).filter((l) => l && ids.has(l.from) && ids.has(l.to));
  return { lejek: "steps", version: clip.version, steps, links, creatives: clip.creatives ?? {} };
}

function isStep(value: unknown): value is Step {
  const s = value as Partial<Step> | null;
  return typeof s?.id === "string" && typeof s.kind === "string" && typeof s.config === "object" && s.config !== null;
}

export interface Paste {
  slot?: Slot | undefined;
  /** The name of a copy whose name is taken: "Welcome (copy)". */
  copyOf: (name: string, n: number) => string;
}

/** Puts the steps of a clip into a slot, with new ids and messages of their own. Answers the new ids, first to last. */
export function pasteClip(doc: FunnelDocument, catalogue: Catalogue, clip: Clip, { slot, copyOf }: Paste): string[] {
  const names = new Set(doc.graph.nodes.map((n) => n.name).filter(Boolean));
  const ids = new Map<string, string>();
  const added: Step[] = [];
  for (const old of clip.steps) {
    const kind = catalogue.kind(old.kind);
    if (kind.single && doc.graph.nodes.some((n) => n.kind === old.kind)) continue;
    const step: Step = {
      ...clone(old),
      id: freshId(doc.graph, old.kind),
      name: freeName(old.name ?? "", names, copyOf),
    };
    if (step.name) names.add(step.name);
    ids.set(old.id, step.id);
    giveMessage(doc, step, clip);
    doc.graph.nodes.push(step);
    added.push(step);
  }
  for (const step of added) step.config = renamed(step.config, ids) as Step["config"];
  for (const l of clip.links) {
    const [from, to] = [ids.get(l.from), ids.get(l.to)];
    if (from && to) doc.graph.edges.push({ from, port: l.port, to });
  }
  const region = added.map((s) => s.id);
  if (slot) chain(doc.graph, catalogue, headsOf(doc.graph, region), slot);
  return region;
}

function giveMessage(doc: FunnelDocument, step: Step, clip: Clip): void {
  const message = clip.creatives[creativeSlug(step) ?? ""];
  if (message) giveCreative(doc, step, clone(message));
}

function freeName(name: string, taken: ReadonlySet<string>, copyOf: Paste["copyOf"]): string {
  if (!name || !taken.has(name)) return name;
  let n = 1;
  while (taken.has(copyOf(name, n))) n++;
  return copyOf(name, n);
}

/** A rule or wait that names a step of the clip names its copy: `step` and `message` hold ids of steps. */
function renamed(value: unknown, ids: ReadonlyMap<string, string>, key = ""): unknown {
  if (typeof value === "string") return key === "step" || key === "message" ? (ids.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((v) => renamed(v, ids));
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, renamed(v, ids, k)]));
}

/** Drafts of immer cannot be cloned structurally; JSON is exactly what the document holds. */
function clone<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
