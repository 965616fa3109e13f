import { describe, expect, it } from "vitest";
import { problemsByStep } from "../problems";
import type { Problem } from "../types";

const problem = (node: string, code: string): Problem => ({ severity: "error", code, node, message: code });

describe("the problems of a funnel, by step", () => {
  it("stay the same objects where nothing new is said, so that only changed cards are drawn anew", () => {
    const first = problemsByStep([problem("a", "x"), problem("b", "x"), problem("b", "y")]);
    expect(problemsByStep([problem("a", "x"), problem("b", "x"), problem("b", "y")], first)).toBe(first);
    const second = problemsByStep([problem("a", "x"), problem("b", "y")], first);
    expect(second.get("a")).toBe(first.get("a"));
    expect(second.get("b")?.map((p) => p.code)).toEqual(["y"]);
    expect(problemsByStep([problem("a", "x")], second).has("b")).toBe(false);
  });
});
