import { type Catalogue, shown } from "./catalogue";
import type { Graph, Link, PortSpec, Step } from "./types";

/** A resolved way out of a step, in the order in which it is drawn and listed. */
export interface Port {
  id: string;
  label: string;
}

interface Element {
  id?: unknown;
  label?: unknown;
}

/** Interprets a kind's port list for one config, exactly as engine does: in order, `each` once per element. */
export function resolvePorts(specs: PortSpec[], config: Record<string, unknown>): Port[] {
  const ports: Port[] = [];
  for (const spec of specs) {
    if (!shown(spec.show_if, config)) continue;
    if (spec.each) {
      const list = config[spec.each];
      if (!Array.isArray(list)) continue;
      for (const element of list as Element[]) {
        const id = String(element?.id ?? "");
        if (id) ports.push({ id, label: String(element?.label || id) });
      }
    } else if (spec.id) {
      ports.push({ id: spec.id, label: spec.label ?? "" });
    }
  }
  return ports;
}

export function portsOf(catalogue: Catalogue, step: Step): Port[] {
  return resolvePorts(catalogue.kind(step.kind).ports, step.config);
}

export function linkAt(graph: Graph, from: string, port: string): Link | undefined {
  return graph.edges.find((e) => e.from === from && e.port === port);
}

export function stepById(graph: Graph, id: string): Step | undefined {
  return graph.nodes.find((n) => n.id === id);
}

/** The steps that can be reached from `id`, itself included. */
export function below(graph: Graph, id: string): Set<string> {
  const next = new Map<string, string[]>();
  for (const e of graph.edges) next.set(e.from, [...(next.get(e.from) ?? []), e.to]);
  const seen = new Set<string>([id]);
  const stack = [id];
  while (stack.length > 0) {
    for (const to of next.get(stack.pop() as string) ?? []) {
      if (!seen.has(to)) {
        seen.add(to);
        stack.push(to);
      }
    }
  }
  return seen;
}
