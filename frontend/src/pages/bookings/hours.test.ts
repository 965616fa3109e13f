import { expect, it } from "vitest";
import { nextOpening, spans, usualWeek, wholeWeek } from "./hours";

const nine = [{ from: "09:00", to: "17:00" }];

it("makes one span of neighbouring days with the same hours", () => {
  expect(spans(usualWeek())).toEqual([{ first: "mon", last: "fri", openings: nine }]);
});

it("begins a new span after a closed day and where hours differ", () => {
  const short = [{ from: "10:00", to: "12:00" }];
  expect(spans({ mon: nine, wed: nine, thu: short })).toEqual([
    { first: "mon", last: "mon", openings: nine },
    { first: "wed", last: "wed", openings: nine },
    { first: "thu", last: "thu", openings: short },
  ]);
});

it("knows closed days", () => {
  expect(Object.values(wholeWeek({ tue: nine })).filter((day) => day.length === 0)).toHaveLength(6);
});

it.each([
  [[], { from: "09:00", to: "17:00" }],
  [nine, { from: "18:00", to: "21:00" }],
  [[{ from: "20:00", to: "24:00" }], { from: "23:00", to: "24:00" }],
])("after %j it offers %j", (openings, next) => {
  expect(nextOpening(openings)).toEqual(next);
});
