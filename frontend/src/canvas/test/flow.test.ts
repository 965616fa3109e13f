import fc from "fast-check";
import { produce } from "immer";
import { describe, expect, it } from "vitest";
import * as d from "../document";
import { boxesOf, emptyFlow, type Flow, toFlow } from "../flow";
import { layout, type Picture } from "../layout";
import { sizes } from "../sizes";
import type { FunnelDocument, Step } from "../types";
import { catalogue, funnel, graph, step } from "./fixtures";

/** Blocks of a condition, a mail on either side, a meeting point and a wait. */
function blocks(count: number): FunnelDocument {
  const nodes: Step[] = [step("start", "entry")];
  const edges: string[] = [];
  let last = "start";
  for (let i = 0; i < count; i++) {
    nodes.push(
      step(`if-${i}`, "condition"),
      step(`a-${i}`, "send_email"),
      step(`b-${i}`, "send_email"),
      step(`join-${i}`, "join"),
      step(`wait-${i}`, "wait", { mode: "duration", for: { amount: 1, unit: "days" } }),
    );
    edges.push(`${last} next if-${i}`, `if-${i} yes a-${i}`, `if-${i} no b-${i}`);
    edges.push(`a-${i} next join-${i}`, `b-${i} next join-${i}`, `join-${i} next wait-${i}`);
    last = `wait-${i}`;
  }
  return funnel(graph(nodes, edges));
}

const pictureOf = (doc: FunnelDocument): Picture =>
  layout(
    doc.graph,
    catalogue,
    sizes(catalogue, () => false),
  );
const drawn = (doc: FunnelDocument, before: Flow = emptyFlow): Flow => toFlow(doc.graph, pictureOf(doc), before);
const insert = (doc: FunnelDocument, from: string) =>
  produce(doc, (x) => void d.insertStep(x, catalogue, { from, port: "next" }, "add_tag"));

/** What is drawn anew: bands of which more than the corner changed. */
const redrawn = (after: Flow, before: Flow) =>
  after.bands.filter((band) => !before.bands.some((b) => b.nodes === band.nodes && b.routes === band.routes));

function expectDrawn(flow: Flow, doc: FunnelDocument): void {
  const picture = pictureOf(doc);
  const places = new Map(boxesOf(flow).map(({ id, ...box }) => [id, box]));
  for (const [id, box] of picture.steps) expect(places.get(id), id).toEqual(box);
  const order = flow.bands.flatMap((band) => band.nodes.filter((n) => n.type === "step").map((n) => n.id));
  expect(order, "in reading order, each once").toEqual(picture.structure.order);
  const ends = flow.bands.flatMap(({ at, routes }) =>
    routes.map((r) => [r.from, r.port, ...r.points.map(([x, y]) => [x + at.x, y + at.y])]),
  );
  expect(ends).toEqual(picture.routes.map((r) => [r.from, r.port, ...r.points]));
}

describe("a large funnel in bands", () => {
  const doc = blocks(99);
  const before = drawn(doc);

  it("is the picture", () => expectDrawn(before, doc));

  it.each(["start", "wait-50", "a-10"])("redraws one band when a step comes after %s", (from) => {
    const after = drawn(insert(doc, from), before);
    expect(before.bands.length).toBeGreaterThan(15);
    expect(redrawn(after, before)).toHaveLength(1);
  });

  it("is the picture after any edits, and no band grows without end", () => {
    const edit = fc.record({ at: fc.nat(), out: fc.boolean() });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        let now = doc;
        let flow = before;
        for (const { at, out } of edits) {
          const id = now.graph.nodes[1 + (at % (now.graph.nodes.length - 1))]?.id ?? "";
          if (/^(a|b|wait)-/.test(id)) {
            now = out ? produce(now, (x) => void d.removeStep(x, catalogue, id)) : insert(now, id);
          }
          flow = drawn(now, flow);
        }
        expectDrawn(flow, now);
      }),
      { numRuns: 20 },
    );
    let now = doc;
    let flow = before;
    for (let i = 0; i < 60; i++) {
      now = insert(now, "wait-50");
      flow = drawn(now, flow);
    }
    expectDrawn(flow, now);
    expect(Math.max(...flow.bands.map((band) => band.nodes.length))).toBeLessThanOrEqual(48);
  });
});
