import fc from "fast-check";
import { produce } from "immer";
import { describe, expect, it } from "vitest";
import { insertStep, type Slot } from "../document";
import { type Box, layout, type Picture } from "../layout";
import { below } from "../ports";
import { sizes } from "../sizes";
import { allSlots } from "../slots";
import type { Graph, Step } from "../types";
import { catalogue, funnel, graph, step } from "./fixtures";

const sizeOf = sizes(catalogue, () => false);

const kinds: [string, string[], Record<string, unknown>][] = [
  ["send_email", ["next"], {}],
  ["wait", ["next"], { mode: "duration" }],
  ["wait", ["next", "timeout"], { mode: "until_event" }],
  ["condition", ["yes", "no"], {}],
  ["split", ["a", "b"], { arms: [{ id: "a" }, { id: "b" }] }],
  ["join", ["next"], {}],
];

/** Any graph of the editor: ways out lead anywhere (forward, back, into each other) or nowhere. */
const graphs = fc
  .array(
    fc.tuple(fc.nat(kinds.length - 1), fc.array(fc.integer({ min: -4, max: 60 }), { minLength: 2, maxLength: 2 })),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((rows): Graph => {
    const nodes: Step[] = [step("entry", "entry", {})];
    const edges: string[] = ["entry next n-0"];
    for (const [i, [k, targets]] of rows.entries()) {
      const [kind, ports, config] = kinds[k] as (typeof kinds)[number];
      nodes.push(step(`n-${i}`, kind, config));
      for (const [p, port] of ports.entries()) {
        const target = targets[p] as number;
        const to = target < 0 ? i + target : target % 3 === 0 ? i + 1 + p : target % rows.length;
        if (to >= 0 && to < rows.length && target % 7 !== 1) edges.push(`n-${i} ${port} n-${to}`);
      }
    }
    return graph(nodes, edges);
  });

function overlaps(p: Picture): number {
  const boxes = [...p.steps.values()];
  let n = 0;
  for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) if (touch(a, b)) n++;
  return n;
}

function touch(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe("layout", () => {
  it("never overlaps cards, never swaps branches, never leads upward", () => {
    fc.assert(
      fc.property(graphs, (g) => {
        const p = layout(g, catalogue, sizeOf);
        expect(p.steps.size).toBe(g.nodes.length);
        expect(overlaps(p)).toBe(0);
        for (const [id, ways] of p.structure.ways) {
          const lanes = ways.map((w) => p.routes.find((r) => r.from === id && r.port === w.port.id)?.plus[0] as number);
          for (const [i, x] of lanes.entries()) if (i > 0) expect(x).toBeGreaterThan(lanes[i - 1] as number);
        }
        for (const r of p.routes)
          for (const [i, pt] of r.points.entries())
            if (i > 0) expect(pt[1]).toBeGreaterThanOrEqual(r.points[i - 1]?.[1] as number);
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  it("draws the same picture for the same document", () => {
    fc.assert(
      fc.property(graphs, (g) => {
        expect(layout(structuredClone(g), catalogue, sizeOf).routes).toEqual(layout(g, catalogue, sizeOf).routes);
      }),
      { numRuns: 30, seed: 7 },
    );
  });

  it("draws a way back as a chip and a meeting under the columns that feed it", () => {
    const g = graph(
      [
        step("entry", "entry"),
        step("w", "wait", { mode: "duration" }),
        step("q", "condition"),
        step("a", "send_email"),
        step("m", "send_email"),
      ],
      ["entry next w", "w next q", "q yes a", "a next m", "q no m", "m next w"],
    );
    const p = layout(g, catalogue, sizeOf);
    expect(p.routes.find((r) => r.from === "m")?.kind).toBe("jump");
    const [a, q, m] = ["a", "q", "m"].map((id) => p.steps.get(id) as Box);
    expect(m?.y).toBeGreaterThan((a?.y ?? 0) + (a?.height ?? 0));
    expect(m?.x).toBe(q?.x);
  });

  it("keeps the grid of the look: columns 280 apart, the parent centred, the goal beside the entry", () => {
    const g = graph(
      [
        step("entry", "entry", { triggers: [{ kind: "manual" }, { kind: "manual" }] }),
        step("q", "condition"),
        step("s", "split", { arms: [{ id: "a" }, { id: "b" }] }),
        step("g", "goal"),
      ],
      ["entry next q", "q yes s"],
    );
    const p = layout(g, catalogue, sizeOf);
    const at = (id: string) => (p.steps.get(id)?.x ?? 0) + 124;
    const middle = at("entry");
    expect(at("q")).toBe(middle);
    expect(at("s")).toBe(middle - 210);
    expect(p.routes.find((r) => r.from === "q" && r.port === "no")?.plus[0]).toBe(middle + 210);
    expect(p.steps.get("g")).toMatchObject({ x: middle + 280 - 124, y: 0 });
    expect(p.steps.get("entry")?.height).toBe(124);
  });

  it("turned by a quarter, keeps cards apart, branches in order and everything forward", () => {
    fc.assert(
      fc.property(graphs, (g) => {
        const p = layout(
          g,
          catalogue,
          sizes(catalogue, () => false, "right"),
          "right",
        );
        expect(overlaps(p)).toBe(0);
        for (const [id, ways] of p.structure.ways) {
          const lanes = ways.map((w) => p.routes.find((r) => r.from === id && r.port === w.port.id)?.plus[1] as number);
          for (const [i, y] of lanes.entries()) if (i > 0) expect(y).toBeGreaterThan(lanes[i - 1] as number);
        }
        for (const r of p.routes)
          for (const [i, pt] of r.points.entries())
            if (i > 0) expect(pt[0]).toBeGreaterThanOrEqual(r.points[i - 1]?.[0] as number);
      }),
      { numRuns: 80, seed: 7 },
    );
  });

  it.each(["down", "right"] as const)("moves nothing up or left when a step is added, drawn %s", (direction) => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.constantFrom("send_email", "wait", "condition"), (g, at, kind) => {
        const draw = (x: Graph) =>
          layout(
            x,
            catalogue,
            sizes(catalogue, () => false, direction),
            direction,
          );
        const before = draw(g);
        const doc = funnel(g);
        const slots = allSlots(doc, catalogue).filter((s) =>
          before.routes.some((r) => r.from === s.from && r.kind !== "jump"),
        );
        const slot = slots[at % slots.length] as Slot;
        const after = draw(produce(doc, (d) => void insertStep(d, catalogue, slot, kind)).graph);
        for (const id of below(g, "entry")) {
          const box = before.steps.get(id) as Box;
          expect(after.steps.get(id)?.x).toBeGreaterThanOrEqual(box.x - 0.001);
          expect(after.steps.get(id)?.y).toBeGreaterThanOrEqual(box.y - 0.001);
        }
      }),
      { numRuns: 80, seed: 7 },
    );
  });

  it("lays out 500 steps within 20 ms", () => {
    const nodes = [step("entry", "entry")];
    const edges = ["entry next n-0"];
    for (let i = 0; i < 499; i++) {
      const fork = i % 5 === 0;
      nodes.push(step(`n-${i}`, fork ? "condition" : "send_email"));
      if (i + 2 < 499)
        edges.push(...(fork ? [`n-${i} yes n-${i + 1}`, `n-${i} no n-${i + 2}`] : [`n-${i} next n-${i + 1}`]));
    }
    const g = graph(nodes, edges);
    const times = Array.from({ length: 30 }, () => {
      const t = performance.now();
      layout(g, catalogue, sizeOf);
      return performance.now() - t;
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });
});
