import { expect, it } from "vitest";
import { makeFormat } from "@/ui/format";
import { moneyOf } from "./money";

it("names each currency for itself and leaves out what is nothing", () => {
  const format = makeFormat("en", "UTC");
  expect(moneyOf({ PLN: 1204.1, EUR: 88.5, USD: 0 }, format)).toBe("88.5 EUR, 1\u202f204.1 PLN");
  expect(moneyOf({}, format)).toBe("");
});
