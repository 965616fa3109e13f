import { expect, it } from "vitest";
import { readImportResult } from "./importResult";

it("reads sums and the problems of rows", () => {
  const problems = [{ row: 7, field: "email", message: "“anna@” is not an address." }];
  expect(readImportResult({ created: 3, updated: 1, rejected: 4, problems })).toEqual({
    created: 3,
    updated: 1,
    rejected: 4,
    problems,
  });
});

it.each([[undefined], [null], [{}], [{ problems: "x" }], [{ problems: [null, { row: 1 }] }]])(
  "makes zeros of %j",
  (result) => {
    expect(readImportResult(result)).toEqual({ created: 0, updated: 0, rejected: 0, problems: [] });
  },
);
