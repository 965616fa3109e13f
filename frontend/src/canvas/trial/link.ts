import type { Assumption } from "../answers";
import type { EditorStore } from "../store";

export type Whom = "real" | "sample" | "nobody";

/** All that a simulation of one person was asked with: enough to ask again, on another screen. */
export interface Trial {
  whom: Whom;
  contact?: string;
  /** The instant it begins; without one it is now, whenever the link is opened. */
  start?: string;
  reaches?: boolean;
  assume?: Record<string, Assumption>;
}

/** The trial as a word for an address. It names a person by id only. */
export function encodeTrial(trial: Trial): string {
  const bytes = new TextEncoder().encode(JSON.stringify(trial));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** The trial of a word, or nothing where the word is not one: an address may have been cut. */
export function decodeTrial(word: string): Trial | undefined {
  try {
    const bytes = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const trial = JSON.parse(new TextDecoder().decode(bytes)) as Trial;
    return ["real", "sample", "nobody"].includes(trial.whom) ? trial : undefined;
  } catch {
    return undefined;
  }
}

const given = new WeakMap<EditorStore, Trial>();

/** Keeps the trial a link brought along until the panel asks for it. */
export function bring(store: EditorStore, trial: Trial): void {
  given.set(store, trial);
}

/** The trial a link brought along, once. */
export function brought(store: EditorStore): Trial | undefined {
  const trial = given.get(store);
  given.delete(store);
  return trial;
}
