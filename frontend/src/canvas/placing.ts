import { plural, t } from "@lingui/core/macro";
import { place } from "./arrange";
import { snapped } from "./freeLayout";
import type { Box } from "./layout";
import { lookOf } from "./look";
import { type EditorStore, set } from "./store";

/** A line a card snaps to: the middle or an edge of another card. */
export interface Guide {
  axis: "x" | "y";
  at: number;
  from: number;
  to: number;
}

/** How near, in canvas pixels, a card must come to be drawn into line. */
const near = 6;

/** Puts chosen cards under the pointer while the picture is free: on the grid, or in line with other cards. */
export function placingOf(store: EditorStore, step: string) {
  const s = store.getState();
  const ids = s.selection.includes(step) ? s.selection : [step];
  const start = new Map(ids.flatMap((id) => (s.picture.steps.get(id) ? [[id, s.picture.steps.get(id) as Box]] : [])));
  const own = start.get(step) as Box;
  const others = [...s.picture.steps].filter(([id]) => !start.has(id)).map(([, b]) => b);
  let by: [number, number] = [0, 0];
  return {
    moveTo: (dx: number, dy: number) => {
      const want: Box = { ...own, x: own.x + dx, y: own.y + dy };
      const inLine = align(want, others);
      by = [(inLine.x ?? snapped(want.x)) - own.x, (inLine.y ?? snapped(want.y)) - own.y];
      const placing = Object.fromEntries(
        [...start].map(([id, b]) => [id, [b.x + by[0], b.y + by[1]] as [number, number]]),
      );
      set(store, { placing, guides: inLine.guides });
    },
    drop: () => {
      set(store, { placing: undefined, guides: undefined });
      if (by[0] === 0 && by[1] === 0) return;
      const n = start.size;
      const label =
        n === 1
          ? t`put “${lookOf(store.getState()).title(step)}” elsewhere`
          : plural(n, { one: "put # step elsewhere", other: "put # steps elsewhere" });
      place(store, [...start.keys()], by[0], by[1], label);
    },
    cancel: () => set(store, { placing: undefined, guides: undefined }),
  };
}

/** The nearest line in each direction that a card can be drawn to, and the lines as they are shown. */
export function align(box: Box, others: readonly Box[]): { x?: number; y?: number; guides: Guide[] } {
  const guides: Guide[] = [];
  const x = nearest(
    [box.x, box.x + box.width / 2],
    others.flatMap((o) => [
      { from: 0, at: o.x, box: o },
      { from: 1, at: o.x + o.width / 2, box: o },
    ]),
  );
  const y = nearest(
    [box.y, box.y + box.height / 2],
    others.flatMap((o) => [
      { from: 0, at: o.y, box: o },
      { from: 1, at: o.y + o.height / 2, box: o },
    ]),
  );
  if (x)
    guides.push({
      axis: "x",
      at: x.at,
      from: Math.min(box.y, x.box.y) - 16,
      to: Math.max(box.y + box.height, x.box.y + x.box.height) + 16,
    });
  if (y)
    guides.push({
      axis: "y",
      at: y.at,
      from: Math.min(box.x, y.box.x) - 16,
      to: Math.max(box.x + box.width, y.box.x + y.box.width) + 16,
    });
  return { guides, ...(x ? { x: box.x + x.by } : {}), ...(y ? { y: box.y + y.by } : {}) };
}

function nearest(own: [number, number], lines: { from: number; at: number; box: Box }[]) {
  let best: { by: number; at: number; box: Box } | undefined;
  for (const line of lines) {
    const by = line.at - (own[line.from] as number);
    if (Math.abs(by) <= near && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at: line.at, box: line.box };
  }
  return best;
}
