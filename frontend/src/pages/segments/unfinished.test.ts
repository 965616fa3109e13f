import { expect, it } from "vitest";
import type { Rule } from "@/canvas/types";
import { unfinished } from "./unfinished";

const city: Rule = { field: "city", op: "is", value: "Kraków" };

it.each<[string, Rule, boolean]>([
  ["a whole comparison", city, false],
  ["a comparison that needs no value", { field: "city", op: "is_set" }, false],
  ["no field chosen", { field: "", op: "is" }, true],
  ["no value", { field: "city", op: "is", value: "" }, true],
  ["false is a value", { field: "vip", op: "is", value: false }, false],
  ["an empty list of values", { field: "city", op: "in", value: [] }, true],
  ["half a range", { field: "age", op: "between", value: [18, ""] }, true],
  ["no tag", { tag: "" }, true],
  ["no tag, negated and deep inside", { all: [city, { any: [city, { not: { tag: "" } }] }] }, true],
  ["an event", { event: { name: "purchase", op: "gte", value: 3 } }, false],
  ["an event without a name", { event: { name: "", op: "gte", value: 1 } }, true],
  ["an event with half a filter", { event: { name: "purchase", where: { field: "", op: "is" } } }, true],
  ["consent", { consent: { channel: "email", state: "granted" } }, false],
])("%s", (_, rule, expected) => expect(unfinished(rule)).toBe(expected));
