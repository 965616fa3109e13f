import type { Catalogue } from "./catalogue";
import { type Port, portsOf } from "./ports";
import type { Graph } from "./types";

/** One way out as the picture sees it. */
export interface Way {
  port: Port;
  /** The step it leads to; undefined at an open end. */
  to?: string;
  /** A loop, or a jump into another root's tree: drawn as a chip, never as a line. */
  jump: boolean;
}

/** The graph as a forest of dominator trees: what layout, outline and keyboard walk. */
export interface Structure {
  /** Entry, then goals, then steps nothing reaches, each in the order of the document. */
  roots: string[];
  ways: Map<string, Way[]>;
  /** The steps drawn in the column of a way out: those only this way leads to. */
  isColumn: (to: string) => boolean;
  /** Meeting points right under a step: several ways below it lead there. In drawing order. */
  merges: Map<string, string[]>;
  /** The ways in, jumps left out. */
  feeders: Map<string, { from: string; port: string }[]>;
  /** Steps in topological order, roots first. */
  order: string[];
}

/** Reads the graph in port order. Deterministic; links to unknown steps count as open ends. */
export function structureOf(graph: Graph, catalogue: Catalogue): Structure {
  const known = new Map(graph.nodes.map((n) => [n.id, n]));
  const target = new Map(graph.edges.filter((e) => known.has(e.to)).map((e) => [`${e.from}\n${e.port}`, e.to]));
  const ways = new Map<string, Way[]>();
  for (const n of graph.nodes) {
    ways.set(
      n.id,
      portsOf(catalogue, n).map((port) => {
        const to = target.get(`${n.id}\n${port.id}`);
        return to ? { port, to, jump: false } : { port, jump: false };
      }),
    );
  }

  const hasIn = new Set(graph.edges.map((e) => e.to));
  const first = graph.nodes.filter((n) => n.kind === "entry");
  const second = graph.nodes.filter((n) => n.kind !== "entry" && catalogue.kind(n.kind).no_in);
  const third = graph.nodes.filter((n) => !first.includes(n) && !second.includes(n) && !hasIn.has(n.id));
  const roots: string[] = [];
  const order: string[] = [];
  const owner = new Map<string, string>();
  for (const n of [...first, ...second, ...third, ...graph.nodes]) {
    if (owner.has(n.id)) continue;
    roots.push(n.id);
    order.push(...walk(n.id, ways, owner));
  }

  const feeders = new Map<string, { from: string; port: string }[]>();
  for (const id of order) {
    for (const way of ways.get(id) ?? []) {
      if (way.to && !way.jump) feeders.set(way.to, [...(feeders.get(way.to) ?? []), { from: id, port: way.port.id }]);
    }
  }
  const merges = mergesOf(order, feeders);
  return { roots, ways, merges, feeders, order, isColumn: (to) => feeders.get(to)?.length === 1 };
}

/** Depth first in port order from one root: marks jumps, returns the topological order of what it owns. */
function walk(root: string, ways: Map<string, Way[]>, owner: Map<string, string>): string[] {
  const done: string[] = [];
  const open = new Set<string>([root]);
  const stack = [{ id: root, next: 0 }];
  owner.set(root, root);
  while (stack.length > 0) {
    const top = stack[stack.length - 1] as { id: string; next: number };
    const way = (ways.get(top.id) ?? [])[top.next++];
    if (!way) {
      open.delete(top.id);
      done.push(top.id);
      stack.pop();
      continue;
    }
    if (!way.to) continue;
    const owned = owner.get(way.to);
    if (owned === undefined) {
      owner.set(way.to, root);
      open.add(way.to);
      stack.push({ id: way.to, next: 0 });
    } else if (owned !== root || open.has(way.to)) {
      way.jump = true;
    }
  }
  return done.reverse();
}

/** Where paths meet: each step with several ways in hangs under the nearest step that every path to it passes. */
function mergesOf(order: string[], feeders: Map<string, { from: string }[]>): Map<string, string[]> {
  const parent = new Map<string, string>();
  const level = new Map<string, number>();
  const merges = new Map<string, string[]>();
  for (const id of order) {
    const into = feeders.get(id) ?? [];
    let at = into[0]?.from;
    for (const f of into) {
      let a = at as string;
      let b = f.from;
      while (a !== b) {
        if ((level.get(a) ?? 0) >= (level.get(b) ?? 0)) a = parent.get(a) as string;
        else b = parent.get(b) as string;
      }
      at = a;
    }
    level.set(id, at === undefined ? 0 : (level.get(at) ?? 0) + 1);
    if (at === undefined) continue;
    parent.set(id, at);
    if (into.length > 1) merges.set(at, [...(merges.get(at) ?? []), id]);
  }
  return merges;
}
