import type { Structure } from "./structure";

/** One line of the outline, in reading order. */
export type OutlineItem =
  | { kind: "step"; step: string }
  | { kind: "slot"; from: string; port: string; end: boolean }
  | { kind: "goto"; from: string; port: string; to: string }
  | { kind: "branch"; from: string; port: string; label: string; items: OutlineItem[] };

/** The funnel as an indented list: branches inside, what follows a meeting of paths behind them on the same level. */
export function outlineOf(s: Structure): OutlineItem[] {
  return s.roots.flatMap((root) => chain(s, root));
}

function chain(s: Structure, start: string): OutlineItem[] {
  const items: OutlineItem[] = [];
  const queue = [start];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    items.push({ kind: "step", step: id });
    const ways = s.ways.get(id) ?? [];
    for (const way of ways) {
      const place = { from: id, port: way.port.id };
      const column = way.to && !way.jump && s.isColumn(way.to) ? way.to : undefined;
      const slot: OutlineItem = { kind: "slot", ...place, end: !way.to };
      const inner: OutlineItem[] = way.jump && way.to ? [slot, { kind: "goto", ...place, to: way.to }] : [slot];
      if (ways.length > 1) {
        items.push({
          kind: "branch",
          ...place,
          label: way.port.label || way.port.id,
          items: column ? [...inner, ...chain(s, column)] : inner,
        });
      } else {
        items.push(...inner);
        if (column) queue.push(column);
      }
    }
    queue.push(...(s.merges.get(id) ?? []));
  }
  return items;
}
