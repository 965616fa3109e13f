import type { Rule } from "@/canvas/types";

/** A rule as the builder holds it: always a group at the top, each leaf with its own "not". */
export interface Group {
  how: "all" | "any";
  parts: Part[];
}
export type Part = { group: Group } | { leaf: Leaf; not: boolean };
export type Leaf = Exclude<Rule, { all: Rule[] } | { any: Rule[] } | { not: Rule }>;

export const maxDepth = 3;

export function toGroup(rule: Rule | undefined): Group {
  if (!rule) return { how: "all", parts: [] };
  if ("all" in rule) return { how: "all", parts: rule.all.map(toPart) };
  if ("any" in rule) return { how: "any", parts: rule.any.map(toPart) };
  return { how: "all", parts: [toPart(rule)] };
}

function toPart(rule: Rule): Part {
  if ("all" in rule || "any" in rule) return { group: toGroup(rule) };
  if ("not" in rule) {
    const inner = rule.not;
    if ("not" in inner) return toPart(inner.not);
    if ("all" in inner || "any" in inner) return { group: negated(toGroup(inner)) };
    return { leaf: inner, not: true };
  }
  return { leaf: rule, not: false };
}

/** Not (a and b) is not a, or not b: the builder shows no negated groups. */
function negated(g: Group): Group {
  return {
    how: g.how === "all" ? "any" : "all",
    parts: g.parts.map((p) => ("group" in p ? { group: negated(p.group) } : { leaf: p.leaf, not: !p.not })),
  };
}

/** Back to the document: one lone condition stays a plain leaf, an empty group nothing. */
export function fromGroup(g: Group): Rule | undefined {
  const parts = g.parts.map(fromPart).filter((r) => r !== undefined);
  if (parts.length === 0) return undefined;
  if (parts.length === 1) return parts[0];
  return g.how === "all" ? { all: parts } : { any: parts };
}

function fromPart(p: Part): Rule | undefined {
  if ("group" in p) return fromGroup(p.group);
  return p.not ? { not: p.leaf } : p.leaf;
}
