import type { Command } from "./commands";

const symbols: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Delete: "Del",
};
const mac = typeof navigator !== "undefined" && /Mac|iP/.test(navigator.platform);

/** The parts of a key as they are printed: "Mod+Z" is Ctrl and Z, on a Mac ⌘ and Z. */
export function keyParts(keys: string): string[] {
  const parts = keys === "+" ? ["+"] : keys.split("+");
  return parts.map((k) => (k === "Mod" ? (mac ? "⌘" : "Ctrl") : k === "Alt" && mac ? "⌥" : (symbols[k] ?? k)));
}

/** The first key of a command in one line: "Ctrl Z". */
export function keysOf(c: Command): string {
  return keyParts(c.keys[0] ?? "").join(" ");
}
