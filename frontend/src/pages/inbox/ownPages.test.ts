import { expect, it } from "vitest";
import { isConfirmation, isOwnPage } from "./ownPages";

it.each([
  ["http://127.0.0.1:8080/u/abc", true],
  ["https://funnels.example/v/abc", true],
  [`${window.location.origin}/p/abc`, true],
  ["https://shop.example/p/abc", false],
  ["https://shop.example/orders", false],
  ["https://shop.example/us/", false],
  ["http://[broken", false],
])("%s is a page of ours: %s", (url, own) => {
  expect(isOwnPage(url)).toBe(own);
});

it.each([
  ["http://127.0.0.1:8080/f/confirm/abc", true],
  ["http://127.0.0.1:8080/f/abc", false],
])("%s confirms an address: %s", (url, confirms) => {
  expect(isConfirmation(url)).toBe(confirms);
});
