import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import type { Kind } from "../types";
import { problemText, word } from "../words";
import { pl } from "../words/pl";
import { ru } from "../words/ru";
import { data } from "./fixtures";

/** Every English text of the catalogue with the key the interface asks for it by. */
function texts(): string[] {
  const keys: string[] = [];
  const add = (owner: string, kind: Kind) => {
    keys.push(`kind.${owner}.title`);
    if (kind.purpose) keys.push(`kind.${owner}.purpose`);
    for (const f of kind.fields) {
      keys.push(`kind.${owner}.${f.key}.label`);
      if (f.help) keys.push(`kind.${owner}.${f.key}.help`);
      for (const o of f.options ?? []) keys.push(`kind.${owner}.${f.key}.${o.value}`);
    }
    for (const p of kind.ports) if (p.label) keys.push(`port.${p.id}`);
  };
  for (const kind of data.nodes) add(kind.kind, kind);
  for (const kind of data.triggers) add(`trigger.${kind.kind}`, kind);
  for (const o of data.operators) keys.push(`op.${o.op}.label`);
  return keys;
}

afterEach(() => i18n.activate("en"));

describe("the words of the catalogue", () => {
  it.each([
    ["Polish", pl],
    ["Russian", ru],
  ])("are all there in %s", (_name, table) => {
    expect(texts().filter((key) => !table[key])).toEqual([]);
  });

  it("fall back to the catalogue's English, for a kind newer than this build", () => {
    i18n.load("pl", {});
    i18n.activate("pl");
    expect(word("kind.send_fax.title", "Send a fax")).toBe("Send a fax");
    expect(word("kind.wait.title", "Wait")).toBe("Czekaj");
  });

  it("tell problems by code with their values", () => {
    i18n.load("ru", {});
    i18n.activate("ru");
    const problem = { code: "VAR_UNKNOWN", message: "The variable x is not known.", params: { name: "x" } };
    expect(problemText(problem)).toContain("Переменная x");
    expect(problemText({ code: "NEW_ONE", message: "As the server says." })).toBe("As the server says.");
  });
});
