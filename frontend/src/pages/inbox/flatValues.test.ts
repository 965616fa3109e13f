import { expect, it } from "vitest";
import { flatValues, plainName } from "./flatValues";

it("names nested values by their path and leaves out what every mail has", () => {
  expect(
    flatValues({
      first_name: "Anna",
      city: null,
      event: { total: 120, items: [{ sku: 1 }, { sku: 2 }], tags: ["a", "b"] },
      unsubscribe_url: "https://x/u/1",
    }),
  ).toEqual([
    ["first_name", "Anna"],
    ["city", ""],
    ["event.total", "120"],
    ["event.items", "2"],
    ["event.tags", "a, b"],
  ]);
});

it("says a path as a reader would", () => {
  expect(plainName("event.order_total")).toBe("Order total");
  expect(plainName("city")).toBe("City");
});
