import { describe, expect, it } from "vitest";
import { barsOf, periodOf, shiftDay, startOfDay } from "./period";

describe("a period of whole days", () => {
  it.each([
    ["2026-11-30", "Europe/Warsaw", "2026-11-29T23:00:00.000Z"],
    ["2026-03-29", "Europe/Warsaw", "2026-03-28T23:00:00.000Z"],
    ["2026-03-30", "Europe/Warsaw", "2026-03-29T22:00:00.000Z"],
    ["2026-10-26", "Europe/Warsaw", "2026-10-25T23:00:00.000Z"],
    ["2026-07-01", "Asia/Kolkata", "2026-06-30T18:30:00.000Z"],
    ["2026-07-01", "America/New_York", "2026-07-01T04:00:00.000Z"],
  ])("begins %s in %s at %s", (day, zone, want) => {
    expect(startOfDay(day, zone).toISOString()).toBe(want);
  });

  it("ends with the last millisecond of its last day, and never after now", () => {
    const now = new Date("2026-11-30T09:00:00Z");
    expect(periodOf("2026-11-01", "2026-11-29", "UTC", now).to).toBe("2026-11-29T23:59:59.999Z");
    expect(periodOf("2026-11-01", "2026-11-30", "UTC", now).to).toBe("2026-11-30T09:00:00.000Z");
  });

  it("moves over months", () => expect(shiftDay("2026-03-01", -1)).toBe("2026-02-28"));
});

describe("the bars of a rehearsal", () => {
  it("fill the days on which nothing happened", () => {
    const bars = barsOf([
      { date: "2026-11-01", entries: 2, sent: { email: 3, sms: 1 } },
      { date: "2026-11-04", entries: 0, sent: { email: 1 } },
    ]);
    expect(bars.map((b) => b.total)).toEqual([4, 0, 0, 1]);
    expect(bars[0]?.entries).toBe(2);
  });

  it("take days together where there are too many, and lose nothing", () => {
    const days = Array.from({ length: 200 }, (_, i) => ({
      date: shiftDay("2026-01-01", i),
      entries: 1,
      sent: { email: 1 },
    }));
    const bars = barsOf(days);
    expect(bars.length).toBeLessThanOrEqual(62);
    expect(bars.reduce((sum, b) => sum + b.total, 0)).toBe(200);
    expect(bars.at(-1)?.to).toBe("2026-07-19");
  });

  it("are none where nothing happened", () => expect(barsOf([])).toEqual([]));
});
