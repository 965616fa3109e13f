import { t } from "@lingui/core/macro";
import { acceptInto, acceptOne, rejectOne } from "./proposal";
import { apply, type EditorStore, say, select, set } from "./store";

/** Accepting the last open suggestion accepts the whole. */
export function acceptSuggestion(store: EditorStore, step: string): void {
  const { proposal } = store.getState();
  if (!proposal) return;
  const next = acceptOne(proposal, step);
  if (next.suggestions.every((s) => next.accepted.has(s.step))) acceptAll(store);
  else set(store, { proposal: next });
}

/** Rejecting the last suggestion ends the review with the draft as it was. */
export function rejectSuggestion(store: EditorStore, step: string): void {
  const { proposal, catalogue } = store.getState();
  const suggestion = proposal?.suggestions.find((s) => s.step === step);
  if (!proposal || !suggestion) return;
  const next = rejectOne(proposal, catalogue, suggestion);
  if (next.suggestions.length === 0) rejectAll(store);
  else if (next.suggestions.every((s) => next.accepted.has(s.step))) {
    set(store, { proposal: next });
    acceptAll(store);
  } else set(store, { proposal: next });
}

/** Makes the suggestion the draft, as one entry of the history. */
export function acceptAll(store: EditorStore): void {
  const { proposal } = store.getState();
  if (!proposal) return;
  set(store, { proposal: undefined });
  apply(store, t`suggestion: ${proposal.prompt}`, (doc) => acceptInto(doc, proposal));
  select(store, []);
  say(store, t`The suggestion is now part of the draft`);
}

export function rejectAll(store: EditorStore): void {
  set(store, { proposal: undefined });
  say(store, t`The suggestion is gone, the draft is as it was`);
}
