import { describe, expect, it } from "vitest";
import { withoutWaits } from "../days";
import { counted, makeProposal } from "../proposal";
import { searchKinds } from "../search";
import { catalogue, funnel, graph, step } from "./fixtures";

describe("what newcomers try", () => {
  it.each(["stop", "end", "koniec", "стоп"])("finds the goal by “%s”", (query) => {
    expect(searchKinds(catalogue, query).map((kind) => kind.kind)).toContain("goal");
  });

  it("does not count the empty start and meeting points among what a suggestion changes", () => {
    const blank = funnel(graph([step("start", "entry", { triggers: [] })], []));
    const drawn = graph(
      [
        step("entry-1", "entry", { triggers: [{ kind: "manual" }] }),
        step("join-1", "join"),
        step("mail-1", "send_email"),
      ],
      [],
    );
    const suggestion = makeProposal("welcome", blank, {
      task: { id: "1", state: "done" },
      graph: drawn,
      creatives: {},
    });
    expect(counted(suggestion)).toEqual({ added: 2, changed: 0, removed: 0, moved: 0 });
    const begun = funnel(graph([step("start", "entry", { triggers: [{ kind: "manual" }] })], []));
    const other = makeProposal("welcome", begun, { task: { id: "1", state: "done" }, graph: drawn, creatives: {} });
    expect(counted(other).removed).toBe(1);
  });

  it("knows which steps are reached at once, and which behind a wait whatever its length", () => {
    const steps = [
      step("start", "entry"),
      step("mail-1", "send_email"),
      step("wait-1", "wait", { mode: "until_event" }),
      step("mail-2", "send_email"),
    ];
    const doc = funnel(graph(steps, ["start next mail-1", "mail-1 next wait-1", "wait-1 next mail-2"]));
    expect([...withoutWaits(doc, catalogue)].sort()).toEqual(["mail-1", "start", "wait-1"]);
  });
});
