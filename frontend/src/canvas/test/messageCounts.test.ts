import { describe, expect, it } from "vitest";
import type { MessageCount } from "../answers";
import { stripOf } from "../messageCounts";

const count = (some: Partial<MessageCount>): MessageCount => ({
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  skipped: 0,
  failed: 0,
  ...some,
});
const said = (some: Partial<MessageCount> | undefined) =>
  stripOf(some && count(some)).map(({ what, n }) => `${n} ${what}`);

describe("the numbers of a message", () => {
  it.each([
    ["nothing left yet", undefined, ["0 delivered"]],
    [
      "shares are of the delivered",
      { sent: 400, delivered: 371, opened: 200, clicked: 70 },
      ["371 delivered", "54 opened", "19 clicked"],
    ],
    [
      "failed takes the last place",
      { sent: 168, delivered: 168, opened: 84, clicked: 37, failed: 3 },
      ["168 delivered", "50 opened", "3 failed"],
    ],
    [
      "few passed over are left out",
      { sent: 95, delivered: 95, opened: 95, clicked: 0, skipped: 5 },
      ["95 delivered", "100 opened", "0 clicked"],
    ],
    [
      "many passed over are told",
      { sent: 30, delivered: 30, opened: 3, clicked: 0, skipped: 20 },
      ["30 delivered", "10 opened", "20 skipped"],
    ],
    ["all passed over", { skipped: 50 }, ["0 delivered", "50 skipped"]],
    [
      "both wrong",
      { sent: 1, delivered: 1, opened: 1, skipped: 5, failed: 2 },
      ["1 delivered", "5 skipped", "2 failed"],
    ],
  ] as const)("%s", (_, messages, want) => {
    expect(said(messages)).toEqual(want);
  });
});
