import { expect, it } from "vitest";
import { familyOf, initials } from "./Face";

it.each([
  ["Anna Nowak", "AN"],
  ["Олена Шевченко", "ОШ"],
  ["Cher", "C"],
  ["Jan Maria van Dijk", "JD"],
  ["  ", ""],
  ["łucja", "Ł"],
])("the initials of %j are %j", (name, letters) => {
  expect(initials(name)).toBe(letters);
});

it("gives one person one colour", () => {
  expect(familyOf("anna@example.pl")).toBe(familyOf("anna@example.pl"));
});
