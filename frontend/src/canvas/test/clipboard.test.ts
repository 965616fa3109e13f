import { produce } from "immer";
import { describe, expect, it } from "vitest";
import { clipVersion, copySteps, pasteClip, readClip } from "../clipboard";
import { forksToAsk, goneWith, moveSteps, placesFor } from "../region";
import type { FunnelDocument } from "../types";
import { catalogue, funnel, graph, step } from "./fixtures";

const doc = funnel(
  graph(
    [
      step("entry", "entry"),
      step("wait-1", "wait", { mode: "until_event" }),
      step("if-1", "condition", { rule: { message: { step: "mail-1", did: "opened" } } }),
      step("mail-1", "send_email"),
      step("tag-1", "add_tag"),
    ],
    ["entry next mail-1", "mail-1 next if-1", "if-1 yes tag-1", "if-1 no wait-1"],
  ),
);
const copyOf = (name: string, n: number) => `${name} (copy${n > 1 ? ` ${n}` : ""})`;
const to = (d: FunnelDocument, from: string, port: string) =>
  d.graph.edges.find((e) => e.from === from && e.port === port)?.to;

describe("a clip", () => {
  it("leaves the entry, and names copies in rules that named their originals", () => {
    const clip = copySteps(doc, catalogue, ["entry", "mail-1", "if-1"]);
    expect(clip.steps.map((s) => s.id)).toEqual(["mail-1", "if-1"]);
    const after = produce(
      doc,
      (d) => void pasteClip(d, catalogue, clip, { slot: { from: "tag-1", port: "next" }, copyOf }),
    );
    expect(to(after, "tag-1", "next")).toBe("mail-2");
    expect(to(after, "mail-2", "next")).toBe("if-2");
    expect(after.graph.nodes.find((n) => n.id === "if-2")?.config.rule).toEqual({
      message: { step: "mail-2", did: "opened" },
    });
  });

  it.each([
    ["", "empty"],
    ["hello", "foreign"],
    ['{"nodes":[]}', "foreign"],
    [JSON.stringify({ lejek: "steps", version: clipVersion + 1, steps: [] }), "newer"],
    [JSON.stringify({ lejek: "steps", version: clipVersion, steps: [{ id: 1 }] }), "foreign"],
  ])("is read or refused: %s", (text, why) => {
    expect(readClip(text)).toBe(why);
  });

  it("gives a copy another name only when the name is taken", () => {
    const named = produce(doc, (d) => {
      for (const n of d.graph.nodes) if (n.id === "mail-1") n.name = "Hello";
    });
    const clip = copySteps(named, catalogue, ["mail-1"]);
    const names = (d: FunnelDocument) => d.graph.nodes.map((n) => n.name).filter(Boolean);
    const once = produce(named, (d) => void pasteClip(d, catalogue, clip, { copyOf }));
    const twice = produce(once, (d) => void pasteClip(d, catalogue, clip, { copyOf }));
    expect(names(twice)).toEqual(["Hello", "Hello (copy)", "Hello (copy 2)"]);
    expect(
      names(
        produce(funnel(graph([step("entry", "entry")], [])), (d) => void pasteClip(d, catalogue, clip, { copyOf })),
      ),
    ).toEqual(["Hello"]);
  });
});

describe("several steps as one", () => {
  it("asks only about forks below which something was not chosen", () => {
    expect(forksToAsk(doc, catalogue, ["mail-1"])).toEqual([]);
    expect(forksToAsk(doc, catalogue, ["mail-1", "if-1"])).toEqual(["if-1"]);
    expect(forksToAsk(doc, catalogue, ["if-1", "tag-1", "wait-1"])).toEqual([]);
    expect(goneWith(doc, catalogue, ["if-1"], { keep: "no" })).toEqual(["if-1", "tag-1"]);
  });

  it("moves them with the links between them, and never cuts others off", () => {
    expect(placesFor(doc, catalogue, ["if-1"])).toEqual([]);
    const slot = { from: "tag-1", port: "next" };
    expect(placesFor(doc, catalogue, ["mail-1"])).toContainEqual(slot);
    const after = produce(doc, (d) => moveSteps(d, catalogue, ["mail-1"], slot));
    expect(to(after, "entry", "next")).toBe("if-1");
    expect(to(after, "tag-1", "next")).toBe("mail-1");
  });
});
