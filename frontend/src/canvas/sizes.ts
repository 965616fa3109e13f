import type { Catalogue } from "./catalogue";
import { card, type Direction, type SizeOf } from "./layout";
import type { Step, Trigger } from "./types";

export const entryRows = 3;

/** Triggers of an entry, tolerant of a config that is still being written. */
export function triggersOf(step: Step): Trigger[] {
  return Array.isArray(step.config.triggers) ? (step.config.triggers as Trigger[]) : [];
}

/** The height of a card follows from its kind alone, but for the rows of the entry and a card not set up yet. */
export function sizes(catalogue: Catalogue, isUnset: (id: string) => boolean, direction: Direction = "down"): SizeOf {
  return (step) => {
    // From left to right the lines meet the pill itself, so its box is no wider than it.
    if (step.kind === "join") return { width: direction === "right" ? 168 : card, height: 28 };
    const family = catalogue.kind(step.kind).family;
    if (family === "trigger") {
      const rows = Math.min(triggersOf(step).length, entryRows + 1);
      return { width: card, height: rows === 0 ? 54 : 60 + 26 * rows + 12 * (rows - 1) };
    }
    if (family === "wait") return { width: card, height: 40 };
    if (family === "logic" || isUnset(step.id)) return { width: card, height: 54 };
    return { width: card, height: 92 };
  };
}
