import { expect, it } from "vitest";
import type { ReportRow } from "@/api/reports";
import { eachDay } from "./series";

it("fills days without a message with nothing, over the change of the clocks too", () => {
  const row = { key: "2026-03-29", sent: 3, opened: 2, converted: 1 } as ReportRow;
  expect(eachDay([row], "2026-03-28", 3)).toEqual([
    { key: "2026-03-28", sent: 0, opened: 0, converted: 0 },
    { key: "2026-03-29", sent: 3, opened: 2, converted: 1 },
    { key: "2026-03-30", sent: 0, opened: 0, converted: 0 },
  ]);
  expect(eachDay([], "", 3)).toEqual([]);
});
