import type { Change } from "../answers";
import type { Mark } from "../store";
import type { FunnelDocument, Graph, Link } from "../types";

/** What became of each step: a step that was changed and moved counts as changed. */
export function marksOf(changes: readonly { code: Change["code"]; node: string }[]): Map<string, Mark> {
  const rank: Mark[] = ["moved", "changed", "added", "removed"];
  const marks = new Map<string, Mark>();
  for (const c of changes) {
    const mark: Mark =
      c.code === "step_added"
        ? "added"
        : c.code === "step_removed"
          ? "removed"
          : c.code === "step_moved" || c.code === "path_ends"
            ? "moved"
            : "changed";
    const known = marks.get(c.node);
    if (!known || rank.indexOf(mark) > rank.indexOf(known)) marks.set(c.node, mark);
  }
  return marks;
}

/** The later document with the steps that were taken out, at the place they had: what there was and is in one picture. */
export function together(before: FunnelDocument, after: FunnelDocument): FunnelDocument {
  const alive = new Set(after.graph.nodes.map((n) => n.id));
  const gone = before.graph.nodes.filter((n) => !alive.has(n.id));
  if (gone.length === 0) return after;
  const lost = new Set(gone.map((n) => n.id));
  const ways = new Map(after.graph.edges.map((e) => [`${e.from}/${e.port}`, e]));
  for (const e of before.graph.edges) {
    const key = `${e.from}/${e.port}`;
    if (lost.has(e.from)) {
      if (lost.has(e.to)) ways.set(key, e);
    } else if (alive.has(e.from) && lost.has(e.to)) putBack(before.graph, lost, ways, e);
  }
  return {
    ...after,
    graph: { ...after.graph, nodes: [...after.graph.nodes, ...gone], edges: [...ways.values()] },
    creatives: { ...before.creatives, ...after.creatives },
  };
}

/** Puts a line of steps that are gone back into the way they stood in; its end leads on to where that way leads now. */
function putBack(before: Graph, lost: ReadonlySet<string>, ways: Map<string, Link>, into: Link): void {
  const key = `${into.from}/${into.port}`;
  const onward = ways.get(key)?.to;
  let last = into.to;
  const seen = new Set([last]);
  for (;;) {
    const next = before.edges.find((e) => e.from === last);
    if (!next || !lost.has(next.to) || seen.has(next.to)) break;
    last = next.to;
    seen.add(last);
  }
  ways.set(key, into);
  const out = before.edges.find((e) => e.from === last);
  if (onward && out) ways.set(`${last}/${out.port}`, { from: last, port: out.port, to: onward });
}
