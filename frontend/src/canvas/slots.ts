import { type Catalogue, defaultConfig } from "./catalogue";
import type { Slot } from "./document";
import { below, linkAt, portsOf, resolvePorts, stepById } from "./ports";
import type { FunnelDocument } from "./types";

export type Refusal = "single" | "itself" | "below" | "branches" | "no_out" | "ends";

/** Every place a step can go, in the order of the document and of each step's ways out. */
export function allSlots(doc: FunnelDocument, catalogue: Catalogue): Slot[] {
  return doc.graph.nodes.flatMap((n) => portsOf(catalogue, n).map((p) => ({ from: n.id, port: p.id })));
}

/**
 * Why a new step of this kind cannot be added, there or at all. A kind that nothing leads into needs no slot; one that ends
 * the path goes where a path ends, because what follows would be cut off.
 */
export function refuseKind(doc: FunnelDocument, catalogue: Catalogue, kind: string, slot?: Slot): Refusal | undefined {
  const spec = catalogue.kind(kind);
  if (spec.single && doc.graph.nodes.some((n) => n.kind === kind)) return "single";
  if (spec.no_in || !slot) return undefined;
  const leads = linkAt(doc.graph, slot.from, slot.port) !== undefined;
  return leads && resolvePorts(spec.ports, defaultConfig(spec)).length === 0 ? "ends" : undefined;
}

/** The slots a new step of this kind may be dropped into. */
export function slotsForKind(doc: FunnelDocument, catalogue: Catalogue, kind: string): Slot[] {
  return allSlots(doc, catalogue).filter((s) => !refuseKind(doc, catalogue, kind, s));
}

/** Why a step cannot be moved into a slot, if it cannot. */
export function refuseMove(
  doc: FunnelDocument,
  catalogue: Catalogue,
  id: string,
  slot: Slot,
  how: "alone" | "below",
): Refusal | undefined {
  const step = stepById(doc.graph, id);
  if (!step || catalogue.kind(step.kind).no_in) return "single";
  const to = linkAt(doc.graph, slot.from, slot.port)?.to;
  if (slot.from === id && how === "alone") return "itself";
  if (to === id) return "itself";
  if (how === "below") return below(doc.graph, id).has(slot.from) ? "below" : undefined;
  const ways = portsOf(catalogue, step);
  if (ways.length === 0) return "no_out";
  const linked = ways.filter((p) => linkAt(doc.graph, id, p.id));
  return linked.length > 1 || (linked.length === 1 && linked[0]?.id !== ways[0]?.id) ? "branches" : undefined;
}

/** The slots a dragged step may be dropped into, in either way. */
export function slotsFor(doc: FunnelDocument, catalogue: Catalogue, id: string): Slot[] {
  return allSlots(doc, catalogue).filter(
    (s) => !refuseMove(doc, catalogue, id, s, "alone") || !refuseMove(doc, catalogue, id, s, "below"),
  );
}

/** The steps a way out may be led to: every one that something can lead into, but the step itself. */
export function targetsFor(doc: FunnelDocument, catalogue: Catalogue, slot: Slot): string[] {
  return doc.graph.nodes.filter((n) => !catalogue.kind(n.kind).no_in && n.id !== slot.from).map((n) => n.id);
}
