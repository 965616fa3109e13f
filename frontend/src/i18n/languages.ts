/** The languages of the interface, each by its own name. */
export const languages = [
  { id: "en", name: "English" },
  { id: "pl", name: "Polski" },
  { id: "ru", name: "Русский" },
] as const;

export type Language = (typeof languages)[number]["id"];

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language.id === value);
}

/** The first of the wanted tags ("pl-PL", "de") that we speak, else English. */
export function closestLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split("-")[0];
    if (isLanguage(base)) return base;
  }
  return "en";
}
