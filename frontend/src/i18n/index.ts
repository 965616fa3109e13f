import { i18n, type Messages } from "@lingui/core";
import { remember, remembered } from "@/ui/remember";
import { closestLanguage, isLanguage, type Language } from "./languages";

/** A catalogue is loaded with the part of the app that speaks it; "app" is always there. */
export type Catalogue = "app" | "canvas" | "sending";

const files = import.meta.glob<{ messages: Messages }>("../locales/*/*.mjs");
const needed = new Set<Catalogue>(["app"]);

async function load(language: Language, catalogue: Catalogue): Promise<void> {
  const file = files[`../locales/${language}/${catalogue}.mjs`];
  if (file) i18n.load(language, (await file()).messages);
}

/** Switches the interface. */
export async function setLanguage(language: Language): Promise<void> {
  await Promise.all([...needed].map((catalogue) => load(language, catalogue)));
  i18n.activate(language);
  document.documentElement.lang = language;
}

/** Switches the interface because a person said so; this device remembers it. */
export async function chooseLanguage(language: Language): Promise<void> {
  remember("language", language);
  await setLanguage(language);
}

/** To be awaited by the loader of a route that speaks another catalogue than "app". */
export async function needCatalogue(catalogue: Catalogue): Promise<void> {
  if (needed.has(catalogue)) return;
  needed.add(catalogue);
  const language = currentLanguage();
  await load(language, catalogue);
  // Activating again tells the components that the words have grown.
  i18n.activate(language);
}

export function currentLanguage(): Language {
  return isLanguage(i18n.locale) ? i18n.locale : firstLanguage();
}

/** What to start in: the choice made on this device, else what the browser asks for. */
export function firstLanguage(): Language {
  const chosen = remembered("language");
  return isLanguage(chosen) ? chosen : closestLanguage(navigator.languages ?? [navigator.language]);
}
