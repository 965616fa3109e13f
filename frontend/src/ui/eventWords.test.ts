import { expect, it } from "vitest";
import { propertiesLine } from "./eventWords";

it("says the first properties and leaves out ids, blanks and whole objects", () => {
  const properties = {
    message: "01a22ab3-0d29-7782-b433-4df523e4a246",
    total: 120,
    note: "",
    cart: { items: 2 },
    city: "Kraków",
    vip: true,
    rest: "x",
  };
  expect(propertiesLine(properties)).toBe("total 120, city Kraków, vip true");
  expect(propertiesLine(undefined)).toBe("");
  expect(propertiesLine({ source: "api", total: 120 }, 3, (key, value) => `${key}=${value}`)).toBe(
    "source=api, total=120",
  );
});
