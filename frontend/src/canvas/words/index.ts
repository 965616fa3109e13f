import { i18n } from "@lingui/core";
import { pl } from "./pl";
import { ru } from "./ru";

const tables: Record<string, Record<string, string>> = { pl, ru };

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
