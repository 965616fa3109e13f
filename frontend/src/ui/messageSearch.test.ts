import { expect, it } from "vitest";
import { holdsText, splitSearch } from "./messageSearch";

it.each([
  ["", {}],
  ["  anna@example.pl ", { to: "anna@example.pl" }],
  ["anna@", { text: "anna@" }],
  ["anna@example", { text: "anna@example" }],
  ["Your Cart", { text: "your cart" }],
])("%j is looked for as %j", (typed, wanted) => {
  expect(splitSearch(typed)).toEqual(wanted);
});

it("finds text in name, address, subject and funnel", () => {
  const message = {
    id: "1",
    channel: "email",
    class: "marketing",
    to: "anna@example.pl",
    subject: "Your cart",
    state: "sent",
    provider: "sandbox",
    created_at: "",
    links: [],
    contact: { id: "2", name: "Anna Nowak" },
    funnel_name: "Abandoned",
  } as const;
  for (const text of ["nowak", "anna@", "cart", "aband", undefined])
    expect(holdsText({ ...message, links: [] }, text)).toBe(true);
  expect(holdsText({ ...message, links: [] }, "piotr")).toBe(false);
});
