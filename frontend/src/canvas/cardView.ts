import { dayLabel } from "./days";
import { lookOf, stepKeys, suggestedAt } from "./look";
import { type EditorState, problemsOf } from "./store";
import type { Step } from "./types";

/** What a card shows of a step and of what happens to it. */
export function cardView(s: EditorState, step: Step) {
  const look = lookOf(s);
  const { id } = step;
  return {
    title: look.title(id),
    summary: look.summary(id),
    day: dayLabel(s, step),
    selected: stepKeys(s.selection).has(id),
    focusable: s.selection[0] === id || (!s.selection[0] && s.picture.structure.roots[0] === id),
    problems: problemsOf(s, id),
    unset: s.unset.has(id),
    ghost: suggestedAt(s, id),
    accepted: s.proposal?.accepted.has(id) ?? false,
    mark: s.marks?.get(id),
    order: s.simulation?.order.get(id),
    simulating: s.simulation !== undefined,
    lifted: lifted(s, id),
    count: s.counts?.nodes[id],
    found: s.findings?.[id],
    talks: s.talks?.get(id) ?? 0,
    visited: s.people.some((p) => p.node === id),
  };
}

/** Whether a step is in the hand: dragged, or on its way by keyboard. */
function lifted(s: EditorState, id: string): boolean {
  const from = s.drag?.step;
  if (!from || s.drag?.free) return s.moving?.steps.includes(id) ?? false;
  return from === id || (s.selection.includes(from) && s.selection.includes(id));
}
