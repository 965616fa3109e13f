import { expect, it } from "vitest";
import { isOwnPage } from "./ownPages";

it.each([
  ["http://127.0.0.1:8080/u/abc", true],
  ["https://funnels.example/v/abc", true],
  ["https://shop.example/orders", false],
  ["https://shop.example/us/", false],
  ["http://[broken", false],
])("%s is a page of ours: %s", (url, own) => {
  expect(isOwnPage(url)).toBe(own);
});
