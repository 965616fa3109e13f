import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { isProblem } from "@/api/problem";
import { api } from "./api";
import { follow } from "./drafting";
import { shorter } from "./ideas";
import { acceptInto, acceptOne, openGroups, refined, rejectOne, without } from "./proposal";
import { apply, type EditorStore, say, select, set } from "./store";

/** Accepting the last open suggestion accepts the whole. */
export function acceptSuggestion(store: EditorStore, step: string): void {
  const { proposal } = store.getState();
  if (!proposal) return;
  const part = proposal.groups.find((g) => g.steps.includes(step));
  if (part) {
    acceptGroup(store, part.id);
    return;
  }
  const next = acceptOne(proposal, step);
  if (next.suggestions.every((s) => next.accepted.has(s.step))) acceptAll(store);
  else set(store, { proposal: next });
}

/** Rejecting the last suggestion ends the review with the draft as it was. */
export function rejectSuggestion(store: EditorStore, step: string): void {
  const { proposal, catalogue } = store.getState();
  const suggestion = proposal?.suggestions.find((s) => s.step === step);
  if (!proposal || !suggestion) return;
  const part = proposal.groups.find((g) => g.steps.includes(step));
  if (part) return void rejectGroup(store, part.id);
  const next = rejectOne(proposal, catalogue, suggestion);
  if (next.suggestions.length === 0) rejectAll(store);
  else if (next.suggestions.every((s) => next.accepted.has(s.step))) {
    set(store, { proposal: next });
    acceptAll(store);
  } else set(store, { proposal: next });
}

/** Accepts a part of a change; the last open one makes the whole the draft. */
export function acceptGroup(store: EditorStore, id: number): void {
  const { proposal } = store.getState();
  if (!proposal) return;
  const next = { ...proposal, taken: new Set([...proposal.taken, id]) };
  set(store, { proposal: next });
  if (openGroups(next).length === 0) acceptAll(store);
}

/** Refuses a part of a change. The server puts the rest together, so that it holds. */
export async function rejectGroup(store: EditorStore, id: number): Promise<void> {
  const { proposal } = store.getState();
  if (!proposal) return;
  const refused = new Set([...proposal.refused, id]);
  const rest = proposal.groups.filter((g) => !refused.has(g.id)).map((g) => g.id);
  if (rest.length === 0) return rejectAll(store);
  try {
    const selected = await api.selectGroups(proposal.id, rest);
    const now = store.getState().proposal;
    if (now?.id !== proposal.id) return;
    const next = without(now, refused, selected);
    set(store, { proposal: next });
    if (openGroups(next).length === 0) acceptAll(store);
  } catch (error) {
    say(store, (isProblem(error) && error.detail) || t`That did not work. Nothing was changed.`);
  }
}

/** Asks for the same suggestion with a message less. Whatever comes of it, the draft is as it was. */
export async function shorten(store: EditorStore): Promise<void> {
  const { proposal, funnel } = store.getState();
  if (!proposal) return;
  const unchanged = t`It could not be made shorter. The suggestion is as it was.`;
  try {
    const task = await api.ask(i18n._(shorter), i18n.locale, funnel.id, proposal.doc);
    const draft = await follow(task.id, new AbortController().signal, () => undefined);
    if (store.getState().proposal?.id !== proposal.id) return;
    if (draft.outcome !== "graph" || !draft.graph) return say(store, unchanged);
    set(store, { proposal: refined(proposal, draft) });
    say(store, t`The suggestion is shorter by one message`);
  } catch (error) {
    say(store, (isProblem(error) && error.detail) || unchanged);
  }
}

/** Makes the suggestion the draft, as one entry of the history. */
export function acceptAll(store: EditorStore): void {
  const { proposal } = store.getState();
  if (!proposal || proposal.partial) return;
  set(store, { proposal: undefined });
  const unnamed = t`New funnel`;
  apply(store, t`suggestion: ${proposal.prompt}`, (doc) => acceptInto(doc, proposal, (name) => name === unnamed));
  select(store, []);
  say(store, t`The suggestion is now part of the draft`);
}

export function rejectAll(store: EditorStore): void {
  set(store, { proposal: undefined });
  say(store, t`The suggestion is gone, the draft is as it was`);
}
