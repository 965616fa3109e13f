import fc from "fast-check";
import { produce } from "immer";
import { describe, expect, it } from "vitest";
import * as d from "../document";
import { compareThree, resolve, stable } from "../merge";
import type { FunnelDocument } from "../types";
import { catalogue, funnel, graph, step } from "./fixtures";

const base = funnel(
  graph(
    [
      step("entry", "entry"),
      step("wait-1", "wait", { mode: "duration" }),
      step("if-1", "condition"),
      step("tag-1", "add_tag"),
      step("tag-2", "add_tag"),
    ],
    ["entry next wait-1", "wait-1 next if-1", "if-1 yes tag-1", "if-1 no tag-2"],
  ),
);
const edit = (change: (doc: FunnelDocument) => void) => produce(base, change);
const links = (doc: FunnelDocument) => doc.graph.edges.map((e) => `${e.from} ${e.port} ${e.to}`).sort();
const ids = (doc: FunnelDocument) => doc.graph.nodes.map((n) => n.id).sort();

describe("two documents that began as one", () => {
  it("merge by themselves where the steps are not the same", () => {
    const mine = edit((x) => d.renameStep(x, "tag-1", "Mine"));
    const theirs = edit((x) => {
      d.renameStep(x, "tag-2", "Theirs");
      d.insertStep(x, catalogue, { from: "entry", port: "next" }, "send_email");
      x.name = "Their name";
    });
    const merge = compareThree(base, mine, theirs);
    expect(merge.conflicts).toEqual([]);
    const made = resolve(merge);
    expect(made.graph.nodes.find((n) => n.id === "tag-1")?.name).toBe("Mine");
    expect(made.graph.nodes.find((n) => n.id === "tag-2")?.name).toBe("Theirs");
    expect(links(made)).toContain("mail-1 next wait-1");
    expect(Object.keys(made.creatives)).toEqual(["mail-1"]);
    expect(made.name).toBe("Their name");
  });

  it("ask about a step both changed, and take what is chosen", () => {
    const mine = edit((x) => d.renameStep(x, "tag-1", "Mine"));
    const theirs = edit((x) => d.renameStep(x, "tag-1", "Theirs"));
    const merge = compareThree(base, mine, theirs);
    expect(merge.conflicts).toEqual(["tag-1"]);
    for (const [side, name] of [
      ["mine", "Mine"],
      ["theirs", "Theirs"],
    ] as const)
      expect(resolve(merge, new Map([["tag-1", side]])).graph.nodes.find((n) => n.id === "tag-1")?.name).toBe(name);
  });

  it("ask where one took out what the other changed; kept, it stands where it stood", () => {
    const mine = edit((x) => d.renameStep(x, "wait-1", "Mine"));
    const theirs = edit((x) => d.removeStep(x, catalogue, "wait-1"));
    const merge = compareThree(base, mine, theirs);
    expect(merge.conflicts).toEqual(["wait-1"]);
    expect(links(resolve(merge, new Map([["wait-1", "mine"]])))).toEqual(links(base));
    expect(links(resolve(merge, new Map([["wait-1", "theirs"]])))).toContain("entry next if-1");
  });

  it("ask where one leads to what the other took out", () => {
    const mine = edit((x) => d.connect(x, { from: "tag-2", port: "next" }, "tag-1"));
    const theirs = edit((x) => d.removeStep(x, catalogue, "tag-1"));
    const merge = compareThree(base, mine, theirs);
    expect(merge.conflicts).toEqual(["tag-1"]);
    expect(ids(resolve(merge, new Map([["tag-1", "mine"]])))).toContain("tag-1");
    expect(links(resolve(merge, new Map([["tag-1", "theirs"]])))).not.toContain("tag-2 next tag-1");
  });

  it("keep notes of both", () => {
    const note = (id: string) => ({ id, step: "entry", text: id });
    const mine = edit((x) => void Object.assign(x.layout, { notes: [note("a")] }));
    const theirs = edit((x) => void Object.assign(x.layout, { notes: [note("b")] }));
    expect(resolve(compareThree(base, mine, theirs)).layout.notes?.map((n) => n.id)).toEqual(["a", "b"]);
  });

  it("never leave a way that leads nowhere, and lose nothing when one side did nothing", () => {
    const slots = base.graph.nodes.flatMap((n) =>
      (n.kind === "condition" ? ["yes", "no"] : ["next"]).map((port) => ({ from: n.id, port })),
    );
    const act = fc.oneof(
      fc.record({ do: fc.constant("remove" as const), step: fc.constantFrom("wait-1", "if-1", "tag-1", "tag-2") }),
      fc.record({ do: fc.constant("insert" as const), slot: fc.constantFrom(...slots) }),
      fc.record({
        do: fc.constant("rename" as const),
        step: fc.constantFrom("wait-1", "if-1", "tag-1"),
        name: fc.string({ maxLength: 3 }),
      }),
    );
    type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;
    const run = (acts: Act[]) =>
      edit((x) => {
        for (const a of acts) {
          if (a.do === "remove") d.removeStep(x, catalogue, a.step, a.step === "if-1" ? { keep: "no" } : undefined);
          else if (a.do === "rename") d.renameStep(x, a.step, a.name);
          else if (x.graph.nodes.some((n) => n.id === a.slot.from)) d.insertStep(x, catalogue, a.slot, "add_tag");
        }
      });
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 4 }),
        fc.array(act, { maxLength: 4 }),
        fc.boolean(),
        (left, right, first) => {
          const [mine, theirs] = [run(left), run(right)];
          const merge = compareThree(base, mine, theirs);
          const made = resolve(merge, new Map(merge.conflicts.map((id) => [id, first ? "mine" : "theirs"])));
          const alive = new Set(made.graph.nodes.map((n) => n.id));
          for (const e of made.graph.edges) expect(alive.has(e.from) && alive.has(e.to)).toBe(true);
          expect(made.graph.nodes.some((n) => n.id === "entry")).toBe(true);
          expect(stable(resolve(compareThree(base, mine, base)))).toBe(
            stable({ ...mine, graph: resolve(compareThree(base, mine, base)).graph }),
          );
          expect(ids(resolve(compareThree(base, mine, base)))).toEqual(ids(mine));
          expect(links(resolve(compareThree(base, base, theirs)))).toEqual(links(theirs));
        },
      ),
      { numRuns: 200 },
    );
  });
});
