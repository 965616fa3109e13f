import { expect, it } from "vitest";
import { slugOf } from "./slug";

it.each([
  ["VIP", "vip"],
  ["Stały klient", "staly-klient"],
  ["Новый клиент", "novyy-klient"],
  ["  -2026 / spring- ", "2026-spring"],
  ["!!!", "tag"],
])("%j becomes %s", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
