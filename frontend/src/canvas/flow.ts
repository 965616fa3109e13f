import type { Picture, Route } from "./layout";
import type { Graph, Step } from "./types";

interface Placed {
  id: string;
  position: { x: number; y: number };
  width: number;
  height: number;
}

/** A card: its data is the document's own step object, so that an unchanged step is seen as unchanged. */
export interface StepNode extends Placed {
  type: "step";
  data: Step;
  /** Its ways out, measured from its own corner: what moves with the step need not be drawn anew. */
  ways: Route[];
}

/** The "Go to" chip below a way that leads back. */
export interface ChipNode extends Placed {
  type: "goto";
  data: Route;
}

export type FlowNode = StepNode | ChipNode;

/**
 * Steps that follow each other in reading order, with the ways that begin at them, all measured from one point. When a funnel
 * grows above them, it is the point that moves: the band is drawn as it was.
 */
export interface Band {
  /** The step it begins with. */
  id: string;
  at: { x: number; y: number };
  nodes: FlowNode[];
  routes: Route[];
}

/** What is drawn: bands of boxes, and of the ways between them. */
export interface Flow {
  bands: Band[];
}

export const emptyFlow: Flow = { bands: [] };

/** From how many steps on a funnel is drawn in bands. A smaller one is a single band, in which each card glides to its new place. */
export const many = 200;

/** How many steps a band begins with; one that has grown to twice as many is cut. */
const length = 24;

/** Document and picture as they are drawn. What did not change is returned as the very same object. */
export function toFlow(graph: Graph, picture: Picture, before: Flow): Flow {
  const rank = new Map(picture.structure.order.map((id, i) => [id, i]));
  const steps = [...graph.nodes].sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
  const waysOf = new Map<string, Route[]>();
  for (const route of picture.routes) {
    const ways = waysOf.get(route.from);
    if (ways) ways.push(route);
    else waysOf.set(route.from, [route]);
  }
  const old = {
    nodes: new Map(before.bands.flatMap((band) => band.nodes.map((n) => [n.id, n]))),
    routes: new Map(before.bands.flatMap((band) => band.routes.map((r) => [keyOf(r), r]))),
  };
  const boxOf = (step: Step) => picture.steps.get(step.id) ?? { x: 0, y: 0, width: 248, height: 92 };

  const parts = cut(steps, before);
  const bands = parts.map((members): Band => {
    const first = members[0] as Step;
    const { x, y } = parts.length === 1 ? origin : boxOf(first);
    const was = before.bands.find((band) => band.id === first.id);
    const routes = members
      .flatMap((step) => waysOf.get(step.id) ?? none)
      .map((way) => share(from(way, x, y), old.routes));
    const nodes: FlowNode[] = members.map((step) => {
      const box = boxOf(step);
      const seen = old.nodes.get(step.id) as StepNode | undefined;
      const ways = waysFrom(box, waysOf.get(step.id) ?? none, seen?.ways ?? none);
      const position = { x: box.x - x, y: box.y - y };
      if (seen && seen.data === step && seen.ways === ways && same(seen, position, box)) return seen;
      return { id: step.id, type: "step", position, width: box.width, height: box.height, data: step, ways };
    });
    for (const route of routes) {
      if (route.kind === "jump") nodes.push(chipNode(route, old.nodes.get(keyOf(route)) as ChipNode | undefined));
    }
    const at = was && was.at.x === x && was.at.y === y ? was.at : { x, y };
    const band = { id: first.id, at, nodes: equal(nodes, was?.nodes), routes: equal(routes, was?.routes) };
    return was && was.at === at && was.nodes === band.nodes && was.routes === band.routes ? was : band;
  });
  return { bands };
}

/** Where the boxes are on the ground. */
export function boxesOf(flow: Flow): (Placed["position"] & Omit<Placed, "position">)[] {
  return flow.bands.flatMap(({ at, nodes }) =>
    nodes.map(({ id, position, width, height }) => ({ id, x: at.x + position.x, y: at.y + position.y, width, height })),
  );
}

const none: Route[] = [];
const origin = { x: 0, y: 0 };

/** Steps in reading order, cut where they were cut before, so that an edit redraws the band it happens in and no other. */
function cut(steps: Step[], before: Flow): Step[][] {
  if (steps.length < many) return [steps];
  const starts = new Set(before.bands.length > 1 ? before.bands.map((band) => band.id) : []);
  const most = starts.size > 0 ? 2 * length : length;
  const bands: Step[][] = [];
  for (const step of steps) {
    const band = bands.at(-1);
    if (!band || band.length >= most || starts.has(step.id)) bands.push([step]);
    else band.push(step);
  }
  return bands;
}

/** A way, measured from a point. */
function from(route: Route, x: number, y: number): Route {
  if (x === 0 && y === 0) return route;
  const at = (p: [number, number]): [number, number] => [p[0] - x, p[1] - y];
  const way: Route = { ...route, points: route.points.map(at), plus: at(route.plus) };
  if (route.labelAt) way.labelAt = at(route.labelAt);
  return way;
}

function waysFrom(box: { x: number; y: number }, routes: Route[], old: Route[]): Route[] {
  const ways = routes.map((route, i) => {
    const way = from(route, box.x, box.y);
    const was = old[i];
    return was && was.port === way.port && sameRoute(was, way) ? was : way;
  });
  return equal(ways, old);
}

function share(route: Route, old: Map<string, Route>): Route {
  const was = old.get(keyOf(route));
  return was && sameRoute(was, route) ? was : route;
}

/** The old list when the new one holds the very same things. */
function equal<T>(list: T[], old: T[] | undefined): T[] {
  return old && list.length === old.length && list.every((item, i) => item === old[i]) ? old : list;
}

function keyOf(way: { from: string; port: string }): string {
  return `${way.from}/${way.port}`;
}

function chipNode(route: Route, old: ChipNode | undefined): ChipNode {
  if (old && old.data === route) return old;
  const [x, y] = route.points.at(-1) as [number, number];
  const before = route.points.at(-2) ?? [x, y];
  const level = before[1] === y && before[0] !== x;
  return {
    id: keyOf(route),
    type: "goto",
    position: level ? { x, y: y - 14 } : { x: x - 124, y },
    width: 248,
    height: 28,
    data: route,
  };
}

function same(
  node: StepNode,
  at: { x: number; y: number },
  { width, height }: { width: number; height: number },
): boolean {
  return node.position.x === at.x && node.position.y === at.y && node.width === width && node.height === height;
}

function sameRoute(a: Route, b: Route): boolean {
  return (
    a.kind === b.kind &&
    a.to === b.to &&
    a.label === b.label &&
    a.points.length === b.points.length &&
    a.points.every((p, i) => p[0] === b.points[i]?.[0] && p[1] === b.points[i]?.[1])
  );
}
