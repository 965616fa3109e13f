import fc from "fast-check";
import { enablePatches, produce, produceWithPatches } from "immer";
import { describe, expect, it } from "vitest";
import { copySteps, pasteClip } from "../clipboard";
import * as d from "../document";
import { portsOf } from "../ports";
import { moveSteps, placesFor, removeSteps } from "../region";
import { allSlots, refuseKind, refuseMove, slotsFor } from "../slots";
import type { FunnelDocument } from "../types";
import { catalogue, funnel, graph, step } from "./fixtures";

enablePatches();

const line = funnel(
  graph(
    [
      step("entry", "entry"),
      step("mail-1", "send_email"),
      step("if-1", "condition"),
      step("tag-1", "add_tag"),
      step("tag-2", "add_tag"),
    ],
    ["entry next mail-1", "mail-1 next if-1", "if-1 yes tag-1", "if-1 no tag-2"],
  ),
);
const links = (doc: FunnelDocument) => doc.graph.edges.map((e) => `${e.from} ${e.port} ${e.to}`).sort();

describe("insertStep", () => {
  it("is a few patches to undo, however many links there are", () => {
    const many = funnel(
      graph(
        Array.from({ length: 400 }, (_, i) => step(i === 0 ? "entry" : `tag-${i}`, i === 0 ? "entry" : "add_tag")),
        Array.from({ length: 399 }, (_, i) => `${i === 0 ? "entry" : `tag-${i}`} next tag-${i + 1}`),
      ),
    );
    const [doc, redo, undo] = produceWithPatches(many, (x) => {
      d.insertStep(x, catalogue, { from: "entry", port: "next" }, "wait");
    });
    expect(links(doc)).toContain("entry next wait-1");
    expect(links(doc)).toContain("wait-1 next tag-1");
    expect(redo.length + undo.length).toBeLessThan(10);
  });

  it("joins both sides and gives a message its content", () => {
    const doc = produce(line, (x) => void d.insertStep(x, catalogue, { from: "entry", port: "next" }, "send_email"));
    expect(links(doc)).toContain("entry next mail-2");
    expect(links(doc)).toContain("mail-2 next mail-1");
    expect(doc.graph.nodes.at(-1)?.config.creative).toBe("creative:mail-2");
    expect(doc.creatives["mail-2"]?.blocks.map((b) => b.type)).toEqual(["text", "footer"]);
  });

  it("leads the first way out of a split on, and leaves the others open", () => {
    const doc = produce(line, (x) => void d.insertStep(x, catalogue, { from: "entry", port: "next" }, "condition"));
    expect(links(doc)).toContain("if-2 yes mail-1");
    expect(links(doc).some((l) => l.startsWith("if-2 no"))).toBe(false);
  });
});

describe("removeStep", () => {
  it("joins the neighbours of a plain step", () => {
    const doc = produce(line, (x) => d.removeStep(x, catalogue, "mail-1"));
    expect(links(doc)).toContain("entry next if-1");
  });

  it.each([
    ["keeps the chosen branch", { keep: "no" } as const, ["entry next mail-1", "mail-1 next tag-2"], ["tag-1"]],
    ["takes all that hangs below", "all" as const, ["entry next mail-1"], ["tag-1", "tag-2"]],
  ])("%s", (_name, how, left, gone) => {
    const doc = produce(line, (x) => d.removeStep(x, catalogue, "if-1", how));
    expect(links(doc)).toEqual(left);
    for (const id of gone) expect(doc.graph.nodes.some((n) => n.id === id)).toBe(false);
  });

  it("says beforehand exactly what goes", () => {
    expect([...d.removedBy(line.graph, "if-1", { keep: "yes" })].sort()).toEqual(["if-1", "tag-2"]);
  });

  it("never leads a step to itself", () => {
    const loop = funnel(
      graph(
        [step("entry", "entry"), step("w", "wait"), step("t", "add_tag")],
        ["entry next w", "w next t", "t next w"],
      ),
    );
    const doc = produce(loop, (x) => d.removeStep(x, catalogue, "t"));
    expect(links(doc)).toEqual(["entry next w"]);
  });
});

describe("moveStep", () => {
  it("moves a step alone and closes the gap", () => {
    const doc = produce(line, (x) => d.moveStep(x, catalogue, "mail-1", { from: "if-1", port: "no" }, "alone"));
    expect(links(doc)).toEqual(["entry next if-1", "if-1 no mail-1", "if-1 yes tag-1", "mail-1 next tag-2"].sort());
  });

  it("moves a branch with all below it and leads its open end on", () => {
    const doc = produce(line, (x) => d.moveStep(x, catalogue, "tag-1", { from: "entry", port: "next" }, "below"));
    expect(links(doc)).toEqual(["entry next tag-1", "if-1 no tag-2", "mail-1 next if-1", "tag-1 next mail-1"].sort());
  });

  it("refuses a place below itself, and taking a fork out alone", () => {
    expect(refuseMove(line, catalogue, "if-1", { from: "tag-1", port: "next" }, "below")).toBe("below");
    expect(refuseMove(line, catalogue, "if-1", { from: "entry", port: "next" }, "alone")).toBe("branches");
    expect(slotsFor(line, catalogue, "entry")).toEqual([]);
  });
});

describe("configs", () => {
  it("drops the links of ways out that vanish", () => {
    const until = funnel(
      graph(
        [step("entry", "entry"), step("w", "wait", { mode: "until_event" }), step("t", "add_tag")],
        ["entry next w", "w timeout t"],
      ),
    );
    const doc = produce(until, (x) => d.patchConfig(x, catalogue, "w", { mode: "duration" }));
    expect(links(doc)).toEqual(["entry next w"]);
  });

  it("copies a step with a message of its own", () => {
    const start = produce(line, (x) => void d.insertStep(x, catalogue, { from: "entry", port: "next" }, "send_email"));
    const clip = copySteps(start, catalogue, ["mail-2"]);
    const slot = { from: "mail-2", port: "next" };
    const doc = produce(start, (x) => void pasteClip(x, catalogue, clip, { slot, copyOf: (name) => name }));
    expect(doc.graph.nodes.find((n) => n.id === "mail-3")?.config.creative).toBe("creative:mail-3");
    expect(links(doc)).toContain("mail-2 next mail-3");
  });

  it("lets only one entry be", () => {
    expect(refuseKind(line, catalogue, "entry")).toBe("single");
    expect(refuseKind(line, catalogue, "wait")).toBeUndefined();
  });
});

it("keeps every document sound whatever is done to it", () => {
  const op = fc.tuple(
    fc.nat(5),
    fc.nat(1000),
    fc.nat(1000),
    fc.constantFrom("send_email", "wait", "condition", "split", "join", "add_tag"),
  );
  fc.assert(
    fc.property(fc.array(op, { maxLength: 30 }), (ops) => {
      let doc = line;
      for (const [what, a, b, kind] of ops) {
        const slots = allSlots(doc, catalogue);
        const slot = slots[a % slots.length] as d.Slot;
        const node = doc.graph.nodes[b % doc.graph.nodes.length] as (typeof doc.graph.nodes)[number];
        doc = produce(doc, (x) => {
          if (what <= 1) d.insertStep(x, catalogue, slot, kind);
          else if (what === 2 && node.kind !== "entry") d.removeStep(x, catalogue, node.id, b % 2 ? "all" : undefined);
          else if (what === 3) {
            const how = b % 2 ? "alone" : "below";
            if (!refuseMove(doc, catalogue, node.id, slot, how)) d.moveStep(x, catalogue, node.id, slot, how);
          } else if (what === 4 && node.kind !== "entry") d.connect(x, slot, node.id);
          else if (b % 2) removeSteps(x, catalogue, [node.id, doc.graph.nodes[a % doc.graph.nodes.length]?.id ?? ""]);
          else {
            const ids = [node.id, doc.graph.nodes[a % doc.graph.nodes.length]?.id ?? ""];
            const places = placesFor(doc, catalogue, ids);
            const place = places[a % places.length];
            if (place && a % 3 === 0) moveSteps(x, catalogue, ids, place);
            else pasteClip(x, catalogue, copySteps(doc, catalogue, ids), { slot, copyOf: (name, n) => `${name} ${n}` });
          }
        });
      }
      const ids = doc.graph.nodes.map((n) => n.id);
      expect(new Set(ids).size).toBe(ids.length);
      const taken = doc.graph.edges.map((e) => `${e.from}/${e.port}`);
      expect(new Set(taken).size).toBe(taken.length);
      for (const e of doc.graph.edges) {
        expect(ids).toContain(e.to);
        const from = doc.graph.nodes.find((n) => n.id === e.from);
        expect(from && portsOf(catalogue, from).map((p) => p.id)).toContain(e.port);
      }
      for (const n of doc.graph.nodes) {
        const slug = d.creativeSlug(n);
        if (slug) expect(doc.creatives[slug]).toBeDefined();
      }
    }),
    { numRuns: 100, seed: 11 },
  );
});
