import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { docToLine, lineToDoc } from "../docs";
import { formatMerge, parseMerge } from "../mergeText";

describe("merge text", () => {
  it.each([
    ["plain", ["plain"]],
    ["Hi {{ first_name }}!", ["Hi ", { expr: "first_name" }, "!"]],
    ['{{ first_name | default("there") }}', [{ expr: "first_name", fallback: "there" }]],
    ['{{ default(first_name, "you") }}', [{ expr: "first_name", fallback: "you" }]],
    ['{{ event.total | money("PLN") }}', [{ expr: 'event.total | money("PLN")' }]],
    ['{{ a | default("say \\"hi\\"") }}', [{ expr: "a", fallback: 'say "hi"' }]],
    ["open {{ end", ["open {{ end"]],
  ])("%s is taken apart", (text, pieces) => {
    expect(parseMerge(text)).toEqual(pieces);
  });

  it("comes back as it was written", () => {
    for (const text of ["a {{ first_name }} b", '{{ first_name | default("there") }}', "{{ event.total | money }}"])
      expect(formatMerge(parseMerge(text))).toBe(text);
  });

  it("survives the editor, whatever the words and fallbacks are", () => {
    const words = fc.string().filter((s) => !s.includes("{") && !s.includes("}"));
    const hole = fc.record({ expr: fc.constantFrom("first_name", "event.total", "workspace.name"), fallback: words });
    fc.assert(
      fc.property(words, hole, words, (a, h, b) => {
        const text = formatMerge([a, h, b]);
        expect(docToLine(lineToDoc(text))).toBe(text);
      }),
    );
  });
});
