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

/** What is drawn: boxes, and the ways between them. */
export interface Flow {
  nodes: FlowNode[];
  routes: Route[];
}

export const emptyFlow: Flow = { nodes: [], routes: [] };

/** Document and picture as they are drawn. What did not change is returned as the very same object. */
export function toFlow(graph: Graph, picture: Picture, before: Flow): Flow {
  const oldNodes = new Map(before.nodes.map((n) => [n.id, n]));
  const waysOf = new Map<string, Route[]>();
  for (const route of picture.routes) waysOf.set(route.from, [...(waysOf.get(route.from) ?? []), route]);
  const oldRoutes = new Map(before.routes.map((r) => [keyOf(r), r]));
  const rank = new Map(picture.structure.order.map((id, i) => [id, i]));
  const steps = [...graph.nodes].sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
  const nodes: FlowNode[] = steps.map((step) => {
    const box = picture.steps.get(step.id) ?? { x: 0, y: 0, width: 248, height: 92 };
    const old = oldNodes.get(step.id) as StepNode | undefined;
    const ways = waysFrom(box, waysOf.get(step.id) ?? none, old?.ways ?? none);
    if (old && old.data === step && old.ways === ways && same(old, box)) return old;
    return {
      id: step.id,
      type: "step",
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      data: step,
      ways,
    };
  });
  const routes = picture.routes.map((route) => {
    const old = oldRoutes.get(keyOf(route));
    return old && sameRoute(old, route) ? old : route;
  });
  for (const route of routes) {
    if (route.kind === "jump") nodes.push(chipNode(route, oldNodes.get(keyOf(route)) as ChipNode | undefined));
  }
  return { nodes, routes };
}

const none: Route[] = [];

function waysFrom(box: { x: number; y: number }, routes: Route[], old: Route[]): Route[] {
  const at = ([x, y]: [number, number]): [number, number] => [x - box.x, y - box.y];
  const ways = routes.map((route, i) => {
    const way: Route = { ...route, points: route.points.map(at), plus: at(route.plus) };
    if (route.labelAt) way.labelAt = at(route.labelAt);
    const was = old[i];
    return was && was.port === way.port && sameRoute(was, way) ? was : way;
  });
  return ways.length === old.length && ways.every((way, i) => way === old[i]) ? old : ways;
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

function same(node: StepNode, box: { x: number; y: number; width: number; height: number }): boolean {
  return (
    node.position.x === box.x && node.position.y === box.y && node.width === box.width && node.height === box.height
  );
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
