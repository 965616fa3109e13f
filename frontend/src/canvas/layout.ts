import type { Catalogue } from "./catalogue";
import { type Structure, structureOf } from "./structure";
import type { Graph, Step } from "./types";

/** Which way the picture grows. */
export type Direction = "down" | "right";

/** The measures of a picture, in canvas pixels: `along` the way people go, `across` it. */
export interface Measure {
  /** Between neighbours across. */
  margin: number;
  /** The least room of a way out without cards. */
  lane: number;
  gap: number;
  /** Behind a step with several ways out: first the turn and the labels, then the '+'. */
  branchGap: number;
  turn: number;
  branchPlus: number;
  /** Before a meeting point: the '+' of each path, then the level part. */
  mergeGap: number;
  chip: number;
  end: number;
  endPlus: number;
}

/** The width of a card. */
export const card = 248;
/** Between the tree of the start and those beside it. */
const rootGap = 32;

export const measures: Record<Direction, Measure> = {
  down: {
    margin: 32,
    lane: 280,
    gap: 38,
    branchGap: 62,
    turn: 18,
    branchPlus: 46,
    mergeGap: 58,
    chip: 28,
    end: 30,
    endPlus: 22,
  },
  // Labels and numbers lie along the lines here, so the lines are longer.
  right: {
    margin: 36,
    lane: 128,
    gap: 76,
    branchGap: 178,
    turn: 18,
    branchPlus: 154,
    mergeGap: 96,
    chip: 248,
    end: 118,
    endPlus: 28,
  },
};

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A link as drawn: the points of an orthogonal line from the bottom of `from`, and where its furniture sits. */
export interface Route {
  from: string;
  port: string;
  label: string;
  to?: string;
  kind: "link" | "jump" | "end";
  points: [number, number][];
  plus: [number, number];
  /** Centre of the branch label, where the step has several ways out. */
  labelAt?: [number, number];
}

export interface Picture {
  direction: Direction;
  steps: Map<string, Box>;
  routes: Route[];
  bounds: Box;
  structure: Structure;
}

export type SizeOf = (step: Step) => { width: number; height: number };

interface Item {
  x: number;
  y: number;
  step?: string;
  lane?: Lane;
  width: number;
  height: number;
}

interface Lane {
  from: string;
  port: string;
  label: string;
  to?: string;
  kind: Route["kind"];
  several: boolean;
}

/** A part of the picture, relative to the centre of its head's top edge. Children hold offsets, so moving one is free. */
interface Part {
  left: number;
  right: number;
  bottom: number;
  own: Item[];
  children: { part: Part; x: number; y: number }[];
  /** The outermost columns that lead to each meeting point not placed yet. */
  feeds: Map<string, [number, number]>;
}

/**
 * Lays a graph out from top to bottom, or turned by a quarter, from left to right. Branches are columns in port order, the
 * parent centred over them; a meeting point stands under all columns it is fed from; nothing overlaps, nothing leads
 * back. The same graph always gives the same picture, and what is added moves the rest down and to the right alone: the
 * left edge stays. Linear but for moving parts into place.
 */
export function layout(graph: Graph, catalogue: Catalogue, sizeOf: SizeOf, direction: Direction = "down"): Picture {
  const structure = structureOf(graph, catalogue);
  const turned = direction === "right";
  const sizes = new Map(
    graph.nodes.map((n) => {
      const { width, height } = sizeOf(n);
      return [n.id, turned ? { width: height, height: width } : { width, height }];
    }),
  );
  const grid = measures[direction];
  const parts = new Map<string, Part>();
  for (let i = structure.order.length - 1; i >= 0; i--) {
    const id = structure.order[i] as string;
    parts.set(id, partOf(id, structure, sizes, parts, grid));
  }
  const placed: Item[] = [];
  for (const root of structure.roots) {
    const part = parts.get(root) as Part;
    const items = flatten(part);
    const x = placed.length === 0 ? -part.left : freeColumn(items, placed, grid);
    for (const item of items) placed.push({ ...item, x: item.x + x });
  }
  const picture = draw(placed, structure, grid);
  return turned ? turn(picture) : picture;
}

/** Turns a picture by a quarter: down becomes to the right, and the first branch stays the first. */
function turn(p: Picture): Picture {
  const box = (b: Box): Box => ({ x: b.y, y: b.x, width: b.height, height: b.width });
  const point = ([x, y]: [number, number]): [number, number] => [y, x];
  return {
    direction: "right",
    structure: p.structure,
    bounds: box(p.bounds),
    steps: new Map([...p.steps].map(([id, b]) => [id, box(b)])),
    routes: p.routes.map((r) => ({
      ...r,
      points: r.points.map(point),
      plus: point(r.plus),
      ...(r.labelAt ? { labelAt: point(r.labelAt) } : {}),
    })),
  };
}

function flatten(root: Part): Item[] {
  const items: Item[] = [];
  const stack = [{ part: root, x: 0, y: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    for (const item of top.part.own) items.push({ ...item, x: item.x + top.x, y: item.y + top.y });
    for (const c of top.part.children) stack.push({ part: c.part, x: c.x + top.x, y: c.y + top.y });
  }
  return items;
}

function partOf(
  id: string,
  s: Structure,
  sizes: Map<string, { width: number; height: number }>,
  parts: Map<string, Part>,
  grid: Measure,
): Part {
  const size = sizes.get(id) ?? { width: card, height: 92 };
  const ways = s.ways.get(id) ?? [];
  const several = ways.length > 1;
  const top = size.height + (several ? grid.branchGap : grid.gap);
  const part: Part = {
    left: -Math.max(size.width + grid.margin, grid.lane) / 2,
    right: Math.max(size.width + grid.margin, grid.lane) / 2,
    bottom: size.height,
    own: [{ x: -size.width / 2, y: 0, step: id, ...size }],
    children: [],
    feeds: new Map(),
  };
  const columns: { part: Part; at: number }[] = [];
  let edge = 0;
  for (const way of ways) {
    const lane: Lane = {
      from: id,
      port: way.port.id,
      label: way.port.label,
      kind: way.jump ? "jump" : way.to ? "link" : "end",
      several,
      ...(way.to ? { to: way.to } : {}),
    };
    const column = way.to && !way.jump && s.isColumn(way.to) ? parts.get(way.to) : undefined;
    const over = laneOver(lane, column, top, grid);
    const at = columns.length === 0 ? 0 : edge - over.left;
    edge = at + over.right;
    columns.push({ part: over, at });
  }
  const middle = columns.length > 0 ? ((columns[0]?.at ?? 0) + (columns.at(-1)?.at ?? 0)) / 2 : 0;
  for (const c of columns) hang(part, c.part, c.at - middle, 0);
  for (const merge of s.merges.get(id) ?? []) {
    const [from, to] = part.feeds.get(merge) ?? [0, 0];
    part.feeds.delete(merge);
    hang(part, parts.get(merge) as Part, (from + to) / 2, part.bottom + grid.mergeGap);
  }
  return part;
}

function hang(part: Part, child: Part, x: number, y: number): void {
  part.children.push({ part: child, x, y });
  part.left = Math.min(part.left, x + child.left);
  part.right = Math.max(part.right, x + child.right);
  part.bottom = Math.max(part.bottom, y + child.bottom);
  for (const [merge, [a, b]] of child.feeds) {
    const seen = part.feeds.get(merge);
    part.feeds.set(merge, [Math.min(seen?.[0] ?? a + x, a + x), Math.max(seen?.[1] ?? b + x, b + x)]);
  }
}

/** A way out with what stands in its column. An empty lane keeps room for its '+', chip or "ends here". */
function laneOver(lane: Lane, column: Part | undefined, top: number, grid: Measure): Part {
  const gap = lane.several ? grid.branchGap : grid.gap;
  const height = lane.kind === "jump" ? grid.chip : lane.kind === "end" ? grid.end : 0;
  const width = grid.lane - grid.margin;
  const own: Item[] = [{ x: -width / 2, y: top - gap, lane, width, height: gap + height }];
  const part: Part = {
    left: -grid.lane / 2,
    right: grid.lane / 2,
    bottom: lane.kind === "link" && !column ? top - grid.gap : top + height,
    own,
    children: [],
    feeds: new Map(),
  };
  if (column) hang(part, column, 0, top);
  else if (lane.to && lane.kind === "link") part.feeds.set(lane.to, [0, 0]);
  return part;
}

/** The first place beside what is placed where a part fits: across the first root, never before it. */
function freeColumn(items: Item[], placed: Item[], grid: Measure): number {
  const solid = placed.filter((i) => i.step || i.height > grid.gap);
  const first = placed[0] as Item;
  const head = items[0] as Item;
  let x = first.x + first.width + grid.margin - head.x;
  for (;;) {
    let push = 0;
    for (const a of items) {
      for (const b of solid) {
        if (a.y - rootGap >= b.y + b.height || b.y - rootGap >= a.y + a.height) continue;
        if (a.x + x >= b.x + b.width + rootGap || b.x >= a.x + a.width + x + rootGap) continue;
        push = Math.max(push, b.x + b.width + rootGap - (a.x + x));
      }
    }
    if (push === 0) return x;
    x += Math.max(push, 1);
  }
}

function draw(items: Item[], structure: Structure, grid: Measure): Picture {
  const steps = new Map<string, Box>();
  for (const i of items) if (i.step) steps.set(i.step, { x: i.x, y: i.y, width: i.width, height: i.height });
  const routes: Route[] = [];
  for (const i of items) {
    if (!i.lane) continue;
    const from = steps.get(i.lane.from) as Box;
    routes.push(routeOf(i, i.lane, from, i.lane.to && i.lane.kind === "link" ? steps.get(i.lane.to) : undefined, grid));
  }
  const rank = new Map(structure.order.map((id, n) => [id, n]));
  routes.sort((a, b) => (rank.get(a.from) ?? 0) - (rank.get(b.from) ?? 0));
  let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity];
  if (items.length === 0) [x1, y1, x2, y2] = [0, 0, 0, 0];
  for (const i of items) {
    x1 = Math.min(x1, i.x);
    y1 = Math.min(y1, i.y);
    x2 = Math.max(x2, i.x + i.width);
    y2 = Math.max(y2, i.y + i.height);
  }
  return { direction: "down", steps, routes, structure, bounds: { x: x1, y: y1, width: x2 - x1, height: y2 - y1 } };
}

function routeOf(mark: Item, lane: Lane, from: Box, to: Box | undefined, grid: Measure): Route {
  const x0 = from.x + from.width / 2;
  const y0 = from.y + from.height;
  const x = mark.x + mark.width / 2;
  const turn = y0 + grid.turn;
  const points: [number, number][] = [[x0, y0]];
  if (x !== x0) points.push([x0, turn], [x, turn]);
  const plusY = y0 + (lane.several ? grid.branchPlus : lane.kind === "end" ? grid.endPlus : grid.gap / 2);
  let endY = lane.kind === "end" ? plusY : y0 + (lane.several ? grid.branchGap : grid.gap);
  if (to) {
    const tx = to.x + to.width / 2;
    if (Math.abs(tx - x) > 0.5) {
      const level = to.y - 20;
      points.push([x, level], [tx, level]);
    }
    points.push([tx, to.y]);
    endY = to.y;
  } else {
    points.push([x, endY]);
  }
  const route: Route = {
    from: lane.from,
    port: lane.port,
    label: lane.label,
    kind: lane.kind,
    points,
    plus: [x, plusY],
  };
  if (lane.to) route.to = lane.to;
  if (lane.several) route.labelAt = labelPlace(grid, x0, x, turn);
  return route;
}

/** On the level part, or on the branch itself where the line is long enough for words. */
function labelPlace(grid: Measure, x0: number, x: number, turn: number): [number, number] {
  if (grid.branchGap > 100) return [x, turn + (grid.branchPlus - grid.turn - 14) / 2 + 4];
  return x === x0 ? [x, turn] : [(x0 + x) / 2, turn];
}

/** An SVG path through orthogonal points with rounded corners. */
export function pathOf(points: [number, number][], radius = 12): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first[0]} ${first[1]}`;
  for (const [i, p] of rest.entries()) {
    const before = points[i] as [number, number];
    const after = points[i + 2];
    if (!after) {
      path += `L${p[0]} ${p[1]}`;
      continue;
    }
    const a = Math.hypot(p[0] - before[0], p[1] - before[1]);
    const b = Math.hypot(after[0] - p[0], after[1] - p[1]);
    const r = Math.min(radius, a / (i === 0 ? 1 : 2), b / 2);
    if (r < 0.5) {
      path += `L${p[0]} ${p[1]}`;
      continue;
    }
    const sx = p[0] - (Math.sign(p[0] - before[0]) || 0) * r;
    const sy = p[1] - (Math.sign(p[1] - before[1]) || 0) * r;
    const ex = p[0] + (Math.sign(after[0] - p[0]) || 0) * r;
    const ey = p[1] + (Math.sign(after[1] - p[1]) || 0) * r;
    path += `L${sx} ${sy}Q${p[0]} ${p[1]} ${ex} ${ey}`;
  }
  return path;
}
