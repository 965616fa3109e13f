import { describe, expect, it } from "vitest";
import { closestLanguage } from "./languages";

describe("the language to start in", () => {
  it.each([
    [["pl-PL", "en"], "pl"],
    [["de", "ru-RU"], "ru"],
    [["de", "fr"], "en"],
    [[], "en"],
    [["PL"], "pl"],
  ] as const)("for %j is %s", (wanted, language) => {
    expect(closestLanguage(wanted)).toBe(language);
  });
});
