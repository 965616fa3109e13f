import { useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";

/** Picks the reader's language from a text the server says in all of them. */
export function useTexts(): (text: Schemas["Texts"]) => string {
  const { i18n } = useLingui();
  return (text) => text[i18n.locale as keyof typeof text] ?? text.en;
}
