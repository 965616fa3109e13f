import type { Problem } from "./types";

/**
 * Problems by step. The server tells all of them after every save, mostly the same ones: those of a step about which nothing
 * new is said stay the same objects, so that its card is not drawn anew.
 */
export function problemsByStep(
  problems: readonly Problem[],
  before: ReadonlyMap<string, Problem[]> = new Map(),
): ReadonlyMap<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  for (const p of problems) {
    if (!p.node) continue;
    const of = found.get(p.node);
    if (of) of.push(p);
    else found.set(p.node, [p]);
  }
  let changed = found.size !== before.size;
  for (const [step, list] of found) {
    const old = before.get(step);
    if (old && same(old, list)) found.set(step, old);
    else changed = true;
  }
  return changed ? found : before;
}

function same(a: readonly Problem[], b: readonly Problem[]): boolean {
  return a.length === b.length && a.every((p, i) => p === b[i] || JSON.stringify(p) === JSON.stringify(b[i]));
}
