import { describe, expect, it } from "vitest";
import { isFresh } from "./event";

describe("the offer of an event nobody has sent yet", () => {
  const known = [
    { value: "payment_made", label: "Payment made · payment_made" },
    { value: "goal_reached", label: "Goal reached" },
  ];
  it.each([
    ["Payment made · payment_made", false],
    ["payment made", false],
    ["Goal reached", false],
    ["", false],
    ["42", false],
    ["order shipped", true],
  ])("%s: %s", (typed, offered) => expect(isFresh(typed, known)).toBe(offered));
});
