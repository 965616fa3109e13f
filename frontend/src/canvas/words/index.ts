import { i18n } from "@lingui/core";
import { fixIn } from "./fixes";
import { pl } from "./pl";
import { ru } from "./ru";

/** English of the screen where the server's own speaks to whoever writes templates by hand. */
const en: Record<string, string> = {
  "problem.TEST_FAILED": "The test “{test}” fails. Mend the funnel or the test, or publish anyway.",
  "problem.VAR_NO_FALLBACK":
    "“{name}” is empty for some people, and they would not get this message. Click the variable and write what to say instead.",
  "problem.VAR_SOME_PATHS":
    "“{name}” has no value for people who start by {paths}. Click the variable and write what to say instead.",
};

const tables: Record<string, Record<string, string>> = { en, pl, ru };

/**
 * A text of the catalogue in the reader's language, by key: "kind.wait.title", "kind.wait.for.label". The English is
 * the catalogue's own; a kind newer than this build reads English.
 */
export function word(key: string, english: string): string {
  return tables[i18n.locale]?.[key] ?? english;
}

/** A problem in the reader's language by code, with its values put in; else as the server says it. */
export function problemText(p: { code: string; message: string; params?: Record<string, string> }): string {
  const text = tables[i18n.locale]?.[`problem.${p.code}`];
  return text ? text.replaceAll(/\{(\w+)\}/g, (_, key: string) => p.params?.[key] ?? "") : p.message;
}

/** What a mend with one click does, in the reader's language. */
export function fixText(label: string): string {
  return fixIn(i18n.locale, label);
}
