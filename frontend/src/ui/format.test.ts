import { describe, expect, it } from "vitest";
import { makeFormat } from "./format";

describe("times are said in the zone of the workspace", () => {
  const at = `${new Date().getFullYear()}-11-30T23:30:00Z`;

  it("puts the late evening of UTC on the next day in Warsaw", () => {
    const format = makeFormat("en", "Europe/Warsaw");
    expect(format.time(at)).toBe("00:30");
    expect(format.day(at)).toBe("1 Dec");
    expect(format.dayKey(at)).toBe(`${new Date().getFullYear()}-12-01`);
  });

  it.each([
    ["en", /^\w{3} 1 Dec, 00:30$/],
    ["pl", /^\S+ 1 gru, 00:30$/],
    ["ru", /^\S+ 1 дек\.?, 00:30$/],
  ])("in %s", (language, wanted) => {
    expect(makeFormat(language, "Europe/Warsaw").moment(at)).toMatch(wanted);
  });

  it("names the year where it is another one", () => {
    expect(makeFormat("en", "UTC").day("2019-03-04T00:00:00Z")).toBe("4 Mar 2019");
  });

  it("is relative only under a day", () => {
    const format = makeFormat("en", "UTC");
    const now = new Date("2026-11-30T12:00:00Z");
    expect(format.ago("2026-11-30T11:48:00Z", now)).toBe("12 minutes ago");
    expect(format.ago("2026-11-30T09:00:00Z", now)).toBe("3 hours ago");
    expect(format.ago("2026-11-28T09:00:00Z", now)).toContain("28 Nov");
  });
});

describe("numbers", () => {
  it("are grouped by a narrow space and never by a comma", () => {
    expect(makeFormat("en", "UTC").number(23570)).toBe("23\u202f570");
  });
  it("carry their unit", () => {
    expect(makeFormat("en", "UTC").percent(0.254)).toBe("25\u202f%");
  });
});
