import type { Catalogue } from "./catalogue";
import type { Kind } from "./types";
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
