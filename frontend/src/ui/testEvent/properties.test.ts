import { expect, it } from "vitest";
import { parseProperties } from "./properties";

it.each([
  ["", {}],
  ["  \n", {}],
  ['{"total": 120}', { total: 120 }],
  ["[1]", undefined],
  ["null", undefined],
  ["12", undefined],
  ['{"total":', undefined],
])("%j is read as %j", (text, value) => {
  expect(parseProperties(text)).toEqual(value);
});
