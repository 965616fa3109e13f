import { produce } from "immer";
import { describe, expect, it } from "vitest";
import * as d from "../document";
import { marksOf, together } from "../versions/together";
import { catalogue, funnel, graph, step } from "./fixtures";

const before = funnel(
  graph(
    [step("entry", "entry"), step("tag-1", "add_tag"), step("tag-2", "add_tag"), step("tag-3", "add_tag")],
    ["entry next tag-1", "tag-1 next tag-2", "tag-2 next tag-3"],
  ),
);

describe("two versions in one picture", () => {
  it("show what was taken out where it stood", () => {
    const after = produce(before, (x) => {
      d.removeStep(x, catalogue, "tag-1");
      d.removeStep(x, catalogue, "tag-2");
    });
    const both = together(before, after);
    expect(both.graph.edges.map((e) => `${e.from} ${e.to}`).sort()).toEqual([
      "entry tag-1",
      "tag-1 tag-2",
      "tag-2 tag-3",
    ]);
  });

  it("are the later one where nothing was taken out", () => {
    const after = produce(before, (x) => void d.insertStep(x, catalogue, { from: "tag-3", port: "next" }, "add_tag"));
    expect(together(before, after)).toBe(after);
  });

  it("call a step that was changed and moved changed", () => {
    const marks = marksOf([
      { code: "step_moved", node: "a" },
      { code: "field", node: "a" },
      { code: "path_ends", node: "b" },
    ]);
    expect([...marks]).toEqual([
      ["a", "changed"],
      ["b", "moved"],
    ]);
  });
});
