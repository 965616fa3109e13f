import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessTargets, mapCsv, parseCsv } from "./csv";

describe("reading CSV", () => {
  it("takes quotes, doubled quotes, separators and line breaks inside quotes", () => {
    const sheet = parseCsv('\uFEFFname,note\r\n"Nowak, Anna","said ""hi""\nand left"\r\n\r\nJan,\r\n');
    expect(sheet.header).toEqual(["name", "note"]);
    expect(sheet.rows).toEqual([
      ["Nowak, Anna", 'said "hi"\nand left'],
      ["Jan", ""],
    ]);
  });

  it.each([
    ["semicolons", "email;imię\na@b.pl;Ala", ["email", "imię"]],
    ["tabs", "email\tname\na@b.pl\tAla", ["email", "name"]],
    ["one column", "email\na@b.pl", ["email"]],
  ])("understands %s", (_, text, header) => {
    expect(parseCsv(text).header).toEqual(header);
  });

  it("gives an empty sheet for an empty file", () => {
    expect(parseCsv("")).toEqual({ header: [], rows: [] });
  });

  it("reads back whatever it writes", () => {
    const cell = fc.string({ maxLength: 12 }).map((text) => text.trim());
    const row = fc.tuple(cell, cell).filter((cells) => cells.some((text) => text !== ""));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const written = mapCsv({ header: ["a", "b"], rows }, ["email", "first_name"]);
        expect(parseCsv(written).rows).toEqual(rows);
      }),
    );
  });
});

describe("mapping columns", () => {
  it("knows usual words in three languages and the workspace's own fields", () => {
    const fields = [{ key: "city", label: "Miasto" }];
    expect(guessTargets(["E-mail", "Imię", "Фамилия", "Miasto", "Notes"], fields)).toEqual([
      "email",
      "first_name",
      "last_name",
      "city",
      null,
    ]);
  });

  it("gives a target to one column only", () => {
    expect(guessTargets(["email", "E-mail"], [])).toEqual(["email", null]);
  });

  it("leaves unmapped columns behind", () => {
    const sheet = { header: ["Mail", "Notes", "Name"], rows: [["a@b.pl", "x", "Ala, B."]] };
    expect(mapCsv(sheet, ["email", null, "first_name"])).toBe('email,first_name\na@b.pl,"Ala, B."\n');
  });
});

describe("the usual heads of columns", () => {
  it.each([
    ["Tel.", "phone"],
    ["Телефон", "phone"],
    ["Imię i nazwisko", "name"],
    ["ФИО", "name"],
    ["Full name", "name"],
  ])("%s is %s", (head, target) => expect(guessTargets([head], [])).toEqual([target]));
});
