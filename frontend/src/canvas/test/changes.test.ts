import { expect, it } from "vitest";
import type { Change } from "../answers";
import { alsoNamed, sayChange } from "../changes";
import { naming } from "../kinds";
import { catalogue, funnel, graph, step } from "./fixtures";

const gone = { code: "step_removed", node: "sms-1", kind: "send_sms", name: "" } as Change;

it("names a step that only the draft has as its card is named, and never by its id", () => {
  const older = funnel(graph([step("entry", "entry")], []));
  const draft = funnel(graph([step("entry", "entry"), { ...step("sms-1", "send_sms"), name: "A reminder" }], []));
  expect(sayChange(gone, naming(catalogue, alsoNamed(older, draft))).step).toContain("A reminder");
  expect(sayChange(gone, naming(catalogue, older)).step).not.toContain("sms-1");
});
