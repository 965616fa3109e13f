import type { MantineColorScheme, MantineColorSchemeManager } from "@mantine/core";
import { remember, remembered } from "@/ui/remember";

const known = (value: unknown): value is MantineColorScheme =>
  value === "light" || value === "dark" || value === "auto";

/** Keeps the choice where public/first-paint.js reads it before anything is painted. */
export const schemeManager: MantineColorSchemeManager = {
  get: (fallback) => {
    const value = remembered("theme");
    return known(value) ? value : fallback;
  },
  set: (value) => {
    remember("theme", value);
    // first-paint.js painted the ground by hand; from here on the tokens do it.
    document.documentElement.style.removeProperty("background");
    document.documentElement.style.removeProperty("color-scheme");
  },
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => remember("theme", null),
};
