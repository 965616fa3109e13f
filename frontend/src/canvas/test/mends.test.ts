import { readdirSync, readFileSync } from "node:fs";
import { produce } from "immer";
import { describe, expect, it } from "vitest";
import { mend } from "../mends";
import type { FunnelDocument, Problem } from "../types";
import { fixes, fixIn } from "../words/fixes";
import { catalogue, funnel, graph, step } from "./fixtures";

const doc: FunnelDocument = {
  ...funnel(
    graph(
      [
        step("start", "entry", { triggers: [{ kind: "page_visit", times: 1.5, within: "P1D" }] }),
        step("mail-1", "send_email", { creative: "creative:hello", class: "marketing" }),
        step("wait-1", "wait", { mode: "duration", for: { amount: 0, unit: "days" } }),
      ],
      ["start next mail-1", "mail-1 next wait-1"],
    ),
  ),
  creatives: { hello: { channel: "email", subject: "Hi {{ first_name }}", blocks: [] } },
};

function mended(node: string, field: string, value: unknown): FunnelDocument {
  const problem: Problem = { code: "X", severity: "error", node, message: "", fix: { label: "Mend", field, value } };
  return produce(doc, (draft) => mend(draft, catalogue, problem));
}

describe("a mend with one click", () => {
  it("reaches the message of a step", () => {
    const blocks = [{ id: "f", type: "footer" }];
    expect(mended("mail-1", "creative.blocks", blocks).creatives.hello?.blocks).toEqual(blocks);
    const after = mended("mail-1", "creative.subject", "Hi");
    expect(after.creatives.hello?.subject).toBe("Hi");
    expect(after.graph).toBe(doc.graph);
  });

  it("reaches what lies deeper in the settings, and takes away what is to go", () => {
    expect(mended("wait-1", "for.amount", 1).graph.nodes[2]?.config).toEqual({
      mode: "duration",
      for: { amount: 1, unit: "days" },
    });
    expect(mended("start", "triggers.0.times", 2).graph.nodes[0]?.config.triggers).toEqual([
      { kind: "page_visit", times: 2, within: "P1D" },
    ]);
    expect(mended("start", "triggers.0.within", null).graph.nodes[0]?.config.triggers).toEqual([
      { kind: "page_visit", times: 1.5 },
    ]);
  });

  it("has words in every language, whatever the server offers", () => {
    const dir = "../engine/";
    const labels = readdirSync(dir)
      .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
      .flatMap((name) => [...readFileSync(dir + name, "utf8").matchAll(/\bfix\("([^"%]+)",|Fix\{Label: "([^"%]+)"/g)])
      .map((found) => found[1] ?? found[2] ?? "");
    expect(labels).toContain("Add a fallback");
    for (const locale of ["pl", "ru"]) expect(labels.filter((label) => !fixes[locale]?.[label])).toEqual([]);
    expect(fixIn("pl", 'Use "vip"')).toBe("Użyj „vip”");
    expect(fixIn("ru", "Make it 1")).toBe("Поставить 1");
    expect(fixIn("en", "Add the footer")).toBe("Add the footer");
  });
});
