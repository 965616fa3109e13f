import type { Catalogue } from "./catalogue";
import { creativeSlug, patchConfig } from "./document";
import { stepById } from "./ports";
import type { FunnelDocument, Problem } from "./types";

/**
 * Puts the value a problem offers where it belongs: "for.amount" and "triggers.0.times" are in the settings of the step,
 * "creative.subject" in the message it sends, "off" is the step's own.
 */
export function mend(doc: FunnelDocument, catalogue: Catalogue, problem: Problem): void {
  const step = stepById(doc.graph, problem.node ?? "");
  if (!step || !problem.fix) return;
  const { field, value } = problem.fix;
  const [first = "", ...rest] = field.split(".");
  if (first === "creative" && rest.length > 0) {
    put(doc.creatives[creativeSlug(step) ?? ""], rest, value);
    return;
  }
  if (first === "kind" || first === "off") put(step, [first, ...rest], value);
  else put(step.config, [first, ...rest], value);
  // A way out that the mend took away takes its link along.
  patchConfig(doc, catalogue, step.id, {});
}

function put(target: unknown, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  if (target === null || typeof target !== "object") return;
  const part = target as Record<string, unknown>;
  if (rest.length > 0) put(part[key], rest, value);
  else if (value === undefined || value === null) delete part[key];
  else part[key] = value;
}
