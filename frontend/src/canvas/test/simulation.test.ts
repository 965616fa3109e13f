import { expect, it } from "vitest";
import type { Simulation, Visit } from "../answers";
import { viewOf } from "../simulation";
import { graph, step } from "./fixtures";

const visit = (seq: number, node: string, port: string, day: number): Visit =>
  ({ seq, node, kind: "", port, at: `2026-12-0${day}T09:00:00Z` }) as unknown as Visit;

it("tells a wait once and numbers the steps without a hole", () => {
  const shown = graph(
    [step("entry", "entry"), step("mail-1", "send_email"), step("wait-1", "wait"), step("mail-2", "send_email")],
    ["entry next mail-1", "mail-1 next wait-1", "wait-1 next mail-2"],
  );
  const visits = [
    visit(1, "mail-1", "next", 1),
    visit(2, "wait-1", "", 1),
    visit(3, "wait-1", "next", 3),
    visit(4, "mail-2", "next", 3),
  ];
  const view = viewOf("Ewa", { visits, messages: [] } as unknown as Simulation, shown, "UTC");
  expect(view.days.flatMap((d) => d.visits.map((v) => v.node))).toEqual(["mail-1", "wait-1", "mail-2"]);
  expect(["mail-1", "wait-1", "mail-2"].map((id) => view.order.get(id))).toEqual([1, 2, 3]);
});
