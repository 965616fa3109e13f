import { t } from "@lingui/core/macro";
import type { Catalogue } from "./catalogue";
import type { Family, Kind } from "./types";
import { word } from "./words";

/** Letters as typed without their accents, in small. */
export function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ł", "l").replaceAll("Ł", "l").toLowerCase();
}

function rank(kind: Kind, title: string, query: string): number {
  if (!query) return 0;
  const name = plain(title);
  if (name.startsWith(query)) return 0;
  if (name.split(/\s+/).some((w) => w.startsWith(query))) return 1;
  const synonyms = [...(kind.synonyms ?? []), kind.title, kind.kind].map(plain);
  if (synonyms.some((s) => s.startsWith(query))) return 2;
  if (name.includes(query) || synonyms.some((s) => s.includes(query))) return 3;
  return -1;
}

/** The kinds that fit what was typed, best first: by name, then by synonym in any of our languages. */
export function searchKinds(catalogue: Catalogue, query: string): Kind[] {
  const q = plain(query.trim());
  return catalogue.kinds
    .map((kind, i) => ({ kind, i, rank: rank(kind, word(`kind.${kind.kind}.title`, kind.title), q) }))
    .filter((x) => x.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map((x) => x.kind);
}

/** What marketers put next, by what stands before: the short list above the families. */
const next: Partial<Record<Family, string[]>> = {
  trigger: ["send_email", "wait", "condition"],
  message: ["wait", "condition", "send_sms"],
  wait: ["send_email", "send_sms", "condition"],
  logic: ["send_email", "send_sms", "wait"],
  action: ["wait", "send_email", "condition"],
};

export function usuallyNext(catalogue: Catalogue, before: Kind): Kind[] {
  return (next[before.family] ?? []).map((kind) => catalogue.kind(kind));
}

/** What the steps of a family do, as a heading. */
export function familyWord(family: Family): string {
  switch (family) {
    case "trigger":
      return t`Starts`;
    case "message":
      return t`Sends`;
    case "wait":
      return t`Waits`;
    case "logic":
      return t`Decides`;
    case "action":
      return t`Changes and calls`;
    default:
      return t`Goal and end`;
  }
}
