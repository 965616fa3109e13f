import { expect, it } from "vitest";
import { readImportResult } from "./importResult";

it("reads sums and the problems of rows", () => {
  const errors = [{ line: 7, column: "email", message: "“anna@” is not an address." }];
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
