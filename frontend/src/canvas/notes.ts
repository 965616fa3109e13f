import { around } from "./freeLayout";
import type { Box, Direction, Picture } from "./layout";
import type { FunnelDocument, Note } from "./types";

export const noteSize = { width: 200, height: 120, least: 80 };
/** Room of a frame around its steps; above them its words. */
const frame = { side: 24, top: 52 };

/** Where a note lies: around its steps, beside its step, or on the ground. */
export function noteBox(note: Note, picture: Picture): Box {
  const framed = (note.around ?? []).flatMap((id) => picture.steps.get(id) ?? []);
  if (framed.length > 0) {
    const b = around(framed);
    return {
      x: b.x - frame.side,
      y: b.y - frame.top,
      width: b.width + 2 * frame.side,
      height: b.height + frame.top + frame.side,
    };
  }
  const at = note.step ? picture.steps.get(note.step) : undefined;
  return { x: (at?.x ?? 0) + note.x, y: (at?.y ?? 0) + note.y, width: note.width, height: note.height };
}

/** Where a new note covers nothing: beside its step across the way people go, else before or behind it. */
export function freePlace(step: Box, direction: Direction, taken: readonly Box[]): { x: number; y: number } {
  const { width, height } = noteSize;
  const gap = 40;
  const left = { x: step.x - width - gap, y: step.y };
  const right = { x: step.x + step.width + gap, y: step.y };
  const above = { x: step.x, y: step.y - height - gap };
  const under = { x: step.x, y: step.y + step.height + gap };
  const places = direction === "right" ? [above, under, left, right] : [left, right, above, under];
  const free = (p: { x: number; y: number }) =>
    taken.every((b) => p.x >= b.x + b.width || b.x >= p.x + width || p.y >= b.y + b.height || b.y >= p.y + height);
  return places.find(free) ?? (places[0] as { x: number; y: number });
}

/** The step nearest to a place: a note goes with it when the picture moves. */
export function nearestStep(picture: Picture, x: number, y: number): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, b] of picture.steps) {
    const d = Math.hypot(x - (b.x + b.width / 2), y - (b.y + b.height / 2));
    if (d < least) {
      least = d;
      best = id;
    }
  }
  return best;
}

/** Notes of steps that go stay: with the step before, or on their own when nothing is left to go with. */
export function releaseNotes(doc: FunnelDocument, gone: ReadonlySet<string>): void {
  for (const note of doc.layout.notes ?? []) {
    if (note.around) {
      note.around = note.around.filter((id) => !gone.has(id));
      if (note.around.length === 0) delete note.around;
    }
    for (const seen = new Set<string>(); note.step && gone.has(note.step); ) {
      seen.add(note.step);
      const into = doc.graph.edges.find((e) => e.to === note.step && !seen.has(e.from));
      if (into) note.step = into.from;
      else delete note.step;
    }
  }
}

export function freshNoteId(notes: readonly Note[]): string {
  const numbers = notes.map((n) => Number(n.id.replace("note-", "")) || 0);
  return `note-${Math.max(0, ...numbers) + 1}`;
}

/** One line of a note, to be drawn. */
export type Line = { kind: "head" | "item" | "text"; parts: Part[] };
export type Part = { kind: "text" | "bold" | "italic"; text: string } | { kind: "link"; text: string; href: string };

/** Markdown, the light part of it: # heading, - item, **bold**, *italic*, [words](https://address). */
export function linesOf(text: string): Line[] {
  return text.split("\n").map((line) => {
    const head = /^#{1,3}\s+(.*)/.exec(line);
    if (head) return { kind: "head", parts: partsOf(head[1] ?? "") };
    const item = /^[-*]\s+(.*)/.exec(line);
    if (item) return { kind: "item", parts: partsOf(item[1] ?? "") };
    return { kind: "text", parts: partsOf(line) };
  });
}

const marks = /\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\((https?:\/\/[^)\s]+)\)/g;

function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const m of line.matchAll(marks)) {
    if (m.index > at) parts.push({ kind: "text", text: line.slice(at, m.index) });
    if (m[1]) parts.push({ kind: "bold", text: m[1] });
    else if (m[2]) parts.push({ kind: "italic", text: m[2] });
    else parts.push({ kind: "link", text: m[3] ?? "", href: m[4] ?? "" });
    at = m.index + m[0].length;
  }
  if (at < line.length) parts.push({ kind: "text", text: line.slice(at) });
  return parts;
}
