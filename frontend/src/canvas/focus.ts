import { plural, t } from "@lingui/core/macro";
import { creativeSlug } from "./document";
import { viewOfKind } from "./kinds";
import { lookOf, rankOf } from "./look";
import { stepById } from "./ports";
import { type EditorState, type EditorStore, select, set } from "./store";
import { type Direction, neighbour } from "./walk";
import { word } from "./words";

/** Puts the keyboard's focus on a card. */
export function focusStep(id: string): void {
  document.querySelector<HTMLElement>(`[data-testid="step-${id}"]`)?.focus({ preventScroll: true });
}

/** Selects a step and asks the inspector to focus a field of it; "" is the first one. */
export function wish(store: EditorStore, step: string, field: string): void {
  const tab = field.startsWith("creative.") ? "content" : field ? "setup" : undefined;
  select(store, [step], tab);
  set(store, { talking: false, wish: { step, field, n: (store.getState().wish?.n ?? 0) + 1 } });
  store.getState().camera?.centre(step, "if-hidden");
}

/** Puts the focus on the first field of the selected step. */
export function openInspector(store: EditorStore): void {
  const s = store.getState();
  const step = stepById(s.doc.graph, s.selection[0] ?? "");
  if (step) wish(store, step.id, creativeSlug(step) ? "creative.subject" : "");
}

/** Brings a step into the middle of the sight, selects it and gives it the keyboard. */
export function goToStep(store: EditorStore, id: string): void {
  select(store, [id]);
  store.getState().camera?.centre(id);
  requestAnimationFrame(() => focusStep(id));
}

/** The arrow keys as they are on the screen: in a picture from left to right, right is forward. */
export function along(direction: "down" | "right", arrow: Direction): Direction {
  if (direction === "down") return arrow;
  return ({ right: "down", left: "up", down: "right", up: "left" } as const)[arrow];
}

/** Selects the step an arrow leads to. */
export function go(store: EditorStore, arrow: Direction): void {
  const s = store.getState();
  const from = s.selection[0] ?? s.picture.structure.roots[0];
  if (!from) return;
  const next = s.selection[0] ? neighbour(s.picture.structure, from, along(s.picture.direction, arrow)) : from;
  if (!next) return;
  select(store, [next]);
  s.camera?.centre(next, "if-hidden");
}

/** The full name of a step for those who do not see the canvas. */
export function stepLabel(s: EditorState, id: string): string {
  const look = lookOf(s);
  const step = look.step(id);
  if (!step) return id;
  const view = viewOfKind(s.catalogue, step.kind);
  const n = rankOf(s.picture.structure, id);
  const problems = s.problemsBy.get(id)?.length ?? 0;
  const parts = [view.word(), look.title(id), t`step ${n} of ${s.shown.graph.nodes.length}`];
  const into = s.picture.structure.feeders.get(id)?.[0];
  if (into) {
    const before = look.title(into.from);
    const ways = s.picture.structure.ways.get(into.from) ?? [];
    const way = ways.length > 1 ? ways.find((w) => w.port.id === into.port) : undefined;
    const branch = way && word(`port.${way.port.id}`, way.port.label);
    parts.push(branch ? t`after “${before}”, ${branch}` : t`after “${before}”`);
  }
  if (step.off) parts.push(t`turned off`);
  if (problems > 0) parts.push(plural(problems, { one: "# problem", other: "# problems" }));
  const here = s.counts?.nodes[id]?.here;
  if (here) parts.push(plural(here, { one: "# person here", other: "# people here" }));
  return parts.join(", ");
}
