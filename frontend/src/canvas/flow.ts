import type { Picture, Route } from "./layout";
import type { Graph, Step } from "./types";

interface Placed {
  id: string;
  position: { x: number; y: number };
  width: number;
  height: number;
  selectable?: boolean;
}

/** A card: its data is the document's own step object, so React Flow sees an unchanged step as unchanged. */
export interface StepNode extends Placed {
  type: "step";
  data: Step & Record<string, unknown>;
}

/** The "Go to" chip or the open end below a way out. */
export interface MarkNode extends Placed {
  type: "goto" | "end";
  data: Route & Record<string, unknown>;
}

export type FlowNode = StepNode | MarkNode;

export interface FlowEdge {
  id: string;
  type: "wire";
  source: string;
  target: string;
  data: Route & Record<string, unknown>;
}

export interface Flow {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

export const emptyFlow: Flow = { nodes: [], edges: [] };

export function markId(route: { from: string; port: string }): string {
  return `${route.from}/${route.port}`;
}

/** Document and picture to React Flow. What did not change is returned as the very same object. */
export function toFlow(graph: Graph, picture: Picture, before: Flow): Flow {
  const oldNodes = new Map(before.nodes.map((n) => [n.id, n]));
  const oldEdges = new Map(before.edges.map((e) => [e.id, e]));
  const rank = new Map(picture.structure.order.map((id, i) => [id, i]));
  const steps = [...graph.nodes].sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
  const nodes: FlowNode[] = steps.map((step) => {
    const box = picture.steps.get(step.id) ?? { x: 0, y: 0, width: 248, height: 92 };
    const old = oldNodes.get(step.id) as StepNode | undefined;
    if (old && old.data === step && same(old, box)) return old;
    return {
      id: step.id,
      type: "step",
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      data: step as StepNode["data"],
    };
  });
  const edges: FlowEdge[] = [];
  for (const route of picture.routes) {
    const id = markId(route);
    const old = oldEdges.get(id);
    const kept = old?.data && sameRoute(old.data, route) ? old.data : (route as FlowEdge["data"]);
    if (route.kind !== "link") nodes.push(markNode(id, kept, oldNodes.get(id) as MarkNode | undefined));
    const target = route.kind === "link" ? (route.to as string) : id;
    edges.push(
      old && old.data === kept && old.target === target
        ? old
        : { id, type: "wire", source: route.from, target, data: kept },
    );
  }
  return { nodes, edges };
}

function markNode(id: string, route: Route, old: MarkNode | undefined): MarkNode {
  if (old && old.data === route) return old;
  const [x, y] = route.points.at(-1) as [number, number];
  const type = route.kind === "jump" ? "goto" : "end";
  const [width, height] = type === "goto" ? [248, 28] : [28, 28];
  const top = type === "goto" ? y : y - 14;
  return {
    id,
    type,
    position: { x: x - width / 2, y: top },
    width,
    height,
    data: route as MarkNode["data"],
    selectable: false,
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
