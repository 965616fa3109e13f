/** A variable in merge text: what is looked up, and what is written when it is missing. */
export interface Hole {
  expr: string;
  fallback?: string;
}
export type Piece = string | Hole;

const hole = /\{\{([\s\S]*?)\}\}/g;
const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
const piped = new RegExp(String.raw`^([\s\S]*?)\s*\|\s*default\(\s*${quoted}\s*\)\s*$`);
const called = new RegExp(String.raw`^default\(\s*([\s\S]*?)\s*,\s*${quoted}\s*\)$`);

/** Takes merge text apart. An unclosed hole stays text: the server says what is wrong with it. */
export function parseMerge(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const m of text.matchAll(hole)) {
    if (m.index > at) pieces.push(text.slice(at, m.index));
    pieces.push(parseHole((m[1] ?? "").trim()));
    at = m.index + m[0].length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

function parseHole(inner: string): Hole {
  const m = piped.exec(inner) ?? called.exec(inner);
  if (!m) return { expr: inner };
  return { expr: (m[1] ?? "").trim(), fallback: unquote(m[2] ?? "") };
}

function unquote(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** Writes merge text. A hole without a fallback is written as it is. */
export function formatMerge(pieces: Piece[]): string {
  return pieces.map((p) => (typeof p === "string" ? p : formatHole(p))).join("");
}

export function formatHole({ expr, fallback }: Hole): string {
  return fallback ? `{{ ${expr} | default(${JSON.stringify(fallback)}) }}` : `{{ ${expr} }}`;
}
