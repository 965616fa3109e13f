import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (language: string, catalogue: string): Map<string, string> => {
  const text = readFileSync(`src/locales/${language}/${catalogue}.po`, "utf8");
  const entries = new Map<string, string>();
  const quoted = '((?:"(?:[^"\\\\]|\\\\.)*"\\n?)+)';
  const entry = new RegExp(`^(?:msgctxt ${quoted})?msgid ${quoted}msgstr ${quoted}`, "gm");
  for (const [, context = "", id = "", word = ""] of text.matchAll(entry)) {
    const plain = (part: string) => part.replace(/"\n?"|^"|"\n?$/g, "").trim();
    if (plain(id)) entries.set([plain(context), plain(id)].filter(Boolean).join(": "), plain(word));
  }
  return entries;
};

const catalogues = ["app", "canvas", "sending"];

describe.each(["pl", "ru"])("the %s catalogues", (language) => {
  it.each(catalogues)("%s lacks nothing", (catalogue) => {
    const missing = [...read(language, catalogue)].filter(([, word]) => word === "").map(([id]) => id);
    expect(missing).toEqual([]);
  });

  it("say one thing in one way, whichever catalogue says it", () => {
    const app = read(language, "app");
    const differing = catalogues
      .flatMap((catalogue) => [...read(language, catalogue)])
      .filter(([id, word]) => app.has(id) && app.get(id) !== word);
    expect(differing.map(([id, word]) => `${id}: ${word} / ${app.get(id)}`)).toEqual([]);
  });

  it.each(catalogues)("%s has all forms of a plural", (catalogue) => {
    const short = [...read(language, catalogue)].filter(
      ([, word]) => word.includes(", plural,") && !["one {", "few {", "many {"].every((form) => word.includes(form)),
    );
    expect(short.map(([id]) => id)).toEqual([]);
  });
});

it.each(catalogues)("the English of %s says what happens to people", (catalogue) => {
  const technical = /\b(payload|enrol|enroll|instance|execute|null|dlq|throttle|node|flow|trigger fired)\b/i;
  expect([...read("en", catalogue).keys()].filter((id) => technical.test(id))).toEqual([]);
});

it.each(catalogues)("the English of %s counts one thing as one", (catalogue) => {
  const counted =
    /(?<!of |last )\{\w+\} (attempts|characters|days|events|hours|messages|minutes|people|reports|steps|times)\b/;
  expect([...read("en", catalogue).keys()].filter((id) => counted.test(id) && !id.includes(", plural,"))).toEqual([]);
});
