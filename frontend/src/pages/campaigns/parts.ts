import type { CampaignDocument } from "@/api/campaigns";
import type { Schemas } from "@/api/client";

export type Problem = Schemas["Problem"];

/** The four things one says about a campaign, in order. */
export const parts = ["audience", "message", "when", "review"] as const;
export type Part = (typeof parts)[number];

export const isPart = (value: unknown): value is Part => parts.includes(value as Part);

/** Where a problem is mended. A problem of a variant is in the message. */
export function partOf(problem: Problem): Part {
  if (problem.node) return "message";
  const [first] = (problem.field ?? "").split(".");
  if (first === "audience") return "audience";
  if (first === "test" || first === "goal") return "message";
  return "when";
}

/** The next letter that is free. */
export function freeVariant(document: CampaignDocument): string {
  const taken = new Set(document.variants.map((one) => one.id));
  return ["a", "b", "c", "d"].find((id) => !taken.has(id)) ?? "d";
}
