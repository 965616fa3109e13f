import { expect, it } from "vitest";
import { innerPath } from "./innerPath";

it.each([
  ["/funnels?q=cart", "/funnels?q=cart"],
  [undefined, "/"],
  ["", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
])("after signing in, %j leads to %s", (next, path) => {
  expect(innerPath(next)).toBe(path);
});
