import { expect, it } from "vitest";
import { readImportResult, rowsAsCSV } from "./importResult";

it("reads sums and the problems of rows", () => {
  const errors = [{ line: 7, column: "email", message: "“anna@” is not an address.", taken: false }];
  expect(readImportResult({ rows: 9, created: 3, updated: 1, unchanged: 1, failed: 4, errors })).toEqual({
    created: 3,
    updated: 1,
    unchanged: 1,
    failed: 4,
    errors,
  });
});

it.each([[undefined], [null], [{}], [{ errors: "x" }], [{ errors: [null, { line: 1 }] }]])(
  "makes zeros of %j",
  (result) => {
    expect(readImportResult(result)).toEqual({ created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] });
  },
);

it("writes rows for a spreadsheet, in which nothing is a formula", () => {
  expect(rowsAsCSV(["Line", "Reason"], [["2", '=1+1 "x"']])).toBe('\ufeff"Line","Reason"\r\n"2","\'=1+1 ""x"""\r\n');
});
