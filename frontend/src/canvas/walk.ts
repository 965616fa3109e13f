import type { Structure } from "./structure";

export type Direction = "up" | "down" | "left" | "right";

/** Where an arrow key leads from a step: down the first way out, up the first way in, sideways along sibling branches. */
export function neighbour(s: Structure, id: string, to: Direction): string | undefined {
  if (to === "down") return s.ways.get(id)?.find((w) => w.to)?.to;
  const feeder = s.feeders.get(id)?.[0];
  if (to === "up") return feeder?.from;
  const step = to === "left" ? -1 : 1;
  if (!feeder) return s.roots[s.roots.indexOf(id) + step];
  for (let child = id, from: string | undefined = feeder.from; from; ) {
    const ways: string[] = (s.ways.get(from) ?? []).flatMap((w) => (w.to && !w.jump ? [w.to] : []));
    const at = ways.indexOf(child) + step;
    const sibling = ways[at];
    if (sibling && sibling !== child) return sibling;
    child = from;
    from = s.feeders.get(child)?.[0]?.from;
  }
  const root = s.roots.find((r) => r !== id);
  return to === "right" && root !== s.roots[0] ? root : undefined;
}

/** The earliest moment of each step in days from the start, along the shortest way; waits without a length count 0. */
export function days(s: Structure, waitDays: (id: string) => number): Map<string, number> {
  const at = new Map<string, number>();
  for (const id of s.order) {
    const into = s.feeders.get(id) ?? [];
    const arrive = into.length === 0 ? 0 : Math.min(...into.map((f) => (at.get(f.from) ?? 0) + waitDays(f.from)));
    at.set(id, arrive);
  }
  return at;
}
