import { expect, it } from "vitest";
import { byDay } from "./byDay";

it("groups neighbours and keeps the order", () => {
  expect(byDay(["a1", "a2", "b1", "a3"], (item) => item.charAt(0))).toEqual([
    { key: "a", items: ["a1", "a2"] },
    { key: "b", items: ["b1"] },
    { key: "a", items: ["a3"] },
  ]);
});
