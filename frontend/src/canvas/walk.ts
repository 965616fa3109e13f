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

/** Days from the start, and the time of day where a wait on the way there ends at one. */
export interface Moment {
  days: number;
  time?: string;
}

/** The earliest moment of each step, along the shortest way; waits without a length count 0. */
export function moments(s: Structure, wait: (id: string, port: string) => Moment): Map<string, Moment> {
  const at = new Map<string, Moment>();
  for (const id of s.order) {
    let earliest: Moment | undefined;
    for (const { from, port } of s.feeders.get(id) ?? []) {
      const before = at.get(from) ?? { days: 0 };
      const takes = wait(from, port);
      const days = before.days + takes.days;
      if (earliest && earliest.days <= days) continue;
      // Hours and minutes make the time of day a guess; whole days keep it.
      const time = takes.time ?? (Number.isInteger(takes.days) ? before.time : undefined);
      earliest = time ? { days, time } : { days };
    }
    at.set(id, earliest ?? { days: 0 });
  }
  return at;
}
