import { expect, it } from "vitest";
import type { Contact, ContactField } from "@/api/people";
import { draftOf, patchOf } from "./details";

const fields: ContactField[] = [
  { key: "city", type: "text" },
  { key: "score", type: "number" },
  { key: "vip", type: "boolean" },
  { key: "birthday", type: "date" },
];
const anna: Contact = {
  id: "0195",
  first_name: "Anna",
  email: "anna@example.pl",
  fields: { city: "Kraków", score: 4, birthday: "1990-05-01T00:00:00Z" },
  tags: [],
  lists: [],
  created_at: "2026-11-30T00:00:00Z",
  updated_at: "2026-11-30T00:00:00Z",
};
const before = draftOf(anna, fields);

it("shows what is known and blanks for the rest", () => {
  expect(before).toMatchObject({
    first_name: "Anna",
    last_name: "",
    "own:city": "Kraków",
    "own:score": "4",
    "own:vip": false,
    "own:birthday": "1990-05-01",
  });
});

it("sends nothing when nothing was changed", () => {
  expect(patchOf(before, { ...before }, fields)).toEqual({});
});

it("sends only what was changed, with its type, and null for what was emptied", () => {
  const after = { ...before, first_name: " Ania ", email: "", "own:score": "4,5", "own:vip": true, "own:city": "" };
  expect(patchOf(before, after, fields)).toEqual({
    first_name: "Ania",
    email: null,
    fields: { score: 4.5, vip: true, city: null },
  });
});

it("leaves a number it cannot read to the server, which says why", () => {
  expect(patchOf(before, { ...before, "own:score": "many" }, fields)).toEqual({ fields: { score: "many" } });
});
