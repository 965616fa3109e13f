import { expect, it } from "vitest";
import { csvOf } from "./csv";

it("quotes what needs it and disarms what a spreadsheet would run", () => {
  expect(
    csvOf([
      ["A, B", 3],
      ['say "hi"', -2],
      ["=cmd()", 0],
      ["a;=1+1", "'x"],
      ["a;-1+1", "a-b"],
    ]),
  ).toBe('"A, B",3\r\n"say ""hi""",-2\r\n\'=cmd(),0\r\n"\'a;=1+1",\'\'x\r\n"\'a;-1+1",a-b');
});
