import { readFileSync } from "node:fs";
import { makeCatalogue } from "../catalogue";
import type { CatalogueData, FunnelDocument, Graph, Link, Step } from "../types";

/** Vitest runs in frontend/. */
const file = "../engine/testdata/catalogue.golden.json";

/** The real catalogue: the file the engine's own test keeps. */
export const data = JSON.parse(readFileSync(file, "utf8")) as CatalogueData;
export const catalogue = makeCatalogue(data);

export function step(id: string, kind: string, config: Record<string, unknown> = {}): Step {
  return { id, kind, name: "", config };
}

export function graph(nodes: Step[], edges: string[]): Graph {
  const links: Link[] = edges.map((e) => {
    const [from = "", port = "", to = ""] = e.split(" ");
    return { from, port, to };
  });
  return { schema: 1, nodes, edges: links };
}

export function funnel(g: Graph): FunnelDocument {
  return { name: "Test", graph: g, creatives: {}, layout: {} };
}

export const arms = { arms: ["a", "b", "c"].map((id) => ({ id, label: id.toUpperCase(), weight: 33 })) };
