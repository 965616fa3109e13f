import { describe, expect, it } from "vitest";
import * as h from "../history";

interface Doc {
  n: number;
  text: string;
  list: string[];
}
const doc: Doc = { n: 0, text: "", list: [] };

function run(edits: [label: string, edit: (d: Doc) => void, at: number, burst?: string][]) {
  let state = { doc, history: h.emptyHistory };
  for (const [label, edit, at, burst] of edits)
    state = h.change(state.doc, state.history, edit, burst ? { label, at, burst } : { label, at });
  return state;
}

describe("history", () => {
  it("undoes and redoes ten edits with their labels", () => {
    let s: { doc: Doc; history: h.History; entry?: h.Entry } = run(
      Array.from({ length: 10 }, (_, i) => [`add ${i}`, (d: Doc) => void d.list.push(String(i)), i * 5000]),
    );
    for (let i = 9; i >= 0; i--) {
      s = h.undo(s.doc, s.history);
      expect(s.entry?.label).toBe(`add ${i}`);
    }
    expect(s.doc).toEqual(doc);
    for (let i = 0; i < 10; i++) s = h.redo(s.doc, s.history);
    expect(s.doc.list).toHaveLength(10);
  });

  it("makes a typing burst one entry and a pause or blur two", () => {
    const type = (t: string) => (d: Doc) => {
      d.text += t;
    };
    expect(
      run([
        ["t", type("a"), 0, "x"],
        ["t", type("b"), 700, "x"],
        ["t", type("c"), 1400, "x"],
      ]).history.past,
    ).toHaveLength(1);
    expect(
      run([
        ["t", type("a"), 0, "x"],
        ["t", type("b"), 900, "x"],
      ]).history.past,
    ).toHaveLength(2);
    const s = run([["t", type("a"), 0, "x"]]);
    const after = h.change(s.doc, h.endBurst(s.history), type("b"), { label: "t", at: 10, burst: "x" });
    expect(after.history.past).toHaveLength(2);
  });

  it("undoes a burst to where it began", () => {
    const type = (t: string) => (d: Doc) => {
      d.text = t;
    };
    const s = run([
      ["t", type("a"), 0, "x"],
      ["t", type("ab"), 100, "x"],
      ["t", type("abc"), 200, "x"],
    ]);
    expect(h.undo(s.doc, s.history).doc.text).toBe("");
  });

  it("records nothing when nothing changed and keeps the same objects", () => {
    const s = h.change(
      doc,
      h.emptyHistory,
      (d) => {
        d.n = 0;
      },
      { label: "x", at: 0 },
    );
    expect(s.doc).toBe(doc);
    expect(s.history).toBe(h.emptyHistory);
  });

  it("is 200 deep", () => {
    const s = run(Array.from({ length: 250 }, (_, i) => [`${i}`, (d: Doc) => void d.n++, i * 5000]));
    expect(s.history.past).toHaveLength(200);
    expect(s.history.past[0]?.label).toBe("50");
  });

  it("folds a gesture into one entry", () => {
    const s = run([
      ["a", (d) => void d.n++, 0],
      ["b", (d) => void d.n++, 1],
      ["c", (d) => void d.n++, 2],
    ]);
    const folded = h.squashTo(s.history, 1, "both");
    expect(folded.past.map((e) => e.label)).toEqual(["a", "both"]);
    expect(h.undo(s.doc, folded).doc.n).toBe(1);
  });

  it("comes back after a reload, only for the same revision, within 2 MB", () => {
    const s = run([["a", (d) => void d.list.push("x"), 0]]);
    expect(h.restore(h.serialise(s.history, 4), 4)).toEqual(s.history);
    expect(h.restore(h.serialise(s.history, 4), 5)).toBe(h.emptyHistory);
    expect(h.restore("{broken", 4)).toBe(h.emptyHistory);
    const big = run(
      Array.from({ length: 60 }, (_, i) => [
        `${i}`,
        (d: Doc) => {
          d.text = String(i).repeat(40_000);
        },
        i * 5000,
      ]),
    );
    expect(h.serialise(big.history, 1).length * 2).toBeLessThanOrEqual(h.storedBytes);
  });
});
