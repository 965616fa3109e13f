import type { Catalogue } from "./catalogue";
import { creativeSlug } from "./document";
import { summaryOf, titleOf, viewOfKind } from "./kinds";
import { plain } from "./search";
import type { FunnelDocument } from "./types";
import { word } from "./words";

interface Entry {
  id: string;
  title: string;
  words: string[];
  kind: string;
  content: string;
}

const indexes = new WeakMap<FunnelDocument, Entry[]>();

/** What can be found of each step, worked out once per document: with five hundred steps each key press must be quick. */
function indexOf(doc: FunnelDocument, catalogue: Catalogue): Entry[] {
  const known = indexes.get(doc);
  if (known) return known;
  const index = doc.graph.nodes.map((n) => {
    const kind = catalogue.kind(n.kind);
    const title = plain(titleOf(n, catalogue, doc));
    const named = [viewOfKind(catalogue, n.kind).word(), word(`kind.${n.kind}.title`, kind.title)];
    return {
      id: n.id,
      title,
      words: title.split(/\s+/),
      kind: plain([...named, ...(kind.synonyms ?? []), n.kind, n.id].join(" ")),
      content: plain([summaryOf(n, catalogue, doc), textOf(doc.creatives[creativeSlug(n) ?? ""])].join(" ")),
    };
  });
  indexes.set(doc, index);
  return index;
}

/** Every piece of writing in a message, whatever block it stands in. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (!value || typeof value !== "object") return "";
  return Object.entries(value)
    .filter(([key]) => key !== "type" && key !== "id" && key !== "channel")
    .map(([, v]) => textOf(v))
    .join(" ");
}

/** The steps that fit what was typed: by name first, then by kind, then by what their message says. */
export function searchSteps(doc: FunnelDocument, catalogue: Catalogue, query: string): string[] {
  const q = plain(query.trim());
  const index = indexOf(doc, catalogue);
  if (!q) return index.map((e) => e.id);
  const rank = (e: Entry) => {
    if (e.title.startsWith(q)) return 0;
    if (e.words.some((w) => w.startsWith(q))) return 1;
    if (e.title.includes(q)) return 2;
    if (e.kind.includes(q)) return 3;
    return e.content.includes(q) ? 4 : -1;
  };
  return index
    .map((e, i) => ({ id: e.id, i, rank: rank(e) }))
    .filter((e) => e.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map((e) => e.id);
}
