import { useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import { stepLabel } from "./focus";
import { whenIdle } from "./idle";
import { type EditorState, type EditorStore, useEditorStore } from "./store";

/**
 * Gives a card its full name ("E-mail, Welcome, step 4 of 12"). One step more changes the names of all, so names are kept out
 * of what cards draw: that of the chosen card is there at once, the others follow while nothing else is to be done.
 */
export function useFullName(step: string, of: React.RefObject<HTMLElement | null>): void {
  const store = useEditorStore();
  const { i18n } = useLingui();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language is another name
  useEffect(() => (of.current ? namesOf(store).add(step, of.current) : undefined), [store, step, of, i18n.locale]);
}

interface Names {
  /** Names a card, and goes on naming it until the answer is called. */
  add(step: string, card: HTMLElement): () => void;
}

const known = new WeakMap<EditorStore, Names>();

function namesOf(store: EditorStore): Names {
  let names = known.get(store);
  if (!names) {
    names = watch(store);
    known.set(store, names);
  }
  return names;
}

/** All that a name is made of. */
const parts = ["shown", "picture", "problemsBy", "counts"] as const satisfies readonly (keyof EditorState)[];

/** How many cards are named before anything else gets its turn. */
const slice = 40;

function watch(store: EditorStore): Names {
  const cards = new Map<string, HTMLElement>();
  let due: string[] = [];
  const name = (id: string) => {
    const card = cards.get(id);
    const label = card && stepLabel(store.getState(), id);
    if (label && card.getAttribute("aria-label") !== label) card.setAttribute("aria-label", label);
  };
  const go = () => {
    for (const id of due.splice(0, slice)) name(id);
    if (due.length > 0) whenIdle(go);
  };
  store.subscribe((s, before) => {
    if (parts.every((part) => s[part] === before[part])) return;
    if (due.length === 0) whenIdle(go);
    for (const id of s.selection) name(id);
    due = [...cards.keys()];
  });
  return {
    add: (step, card) => {
      cards.set(step, card);
      name(step);
      return () => {
        if (cards.get(step) === card) cards.delete(step);
      };
    },
  };
}
