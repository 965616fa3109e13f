import { i18n } from "@lingui/core";
import type { Counts } from "./answers";
import { summaryOf, titleOf } from "./kinds";
import type { Suggestion } from "./proposal";
import type { EditorState } from "./store";
import type { Structure } from "./structure";
import type { FunnelDocument, Step } from "./types";

/**
 * What every card and every '+' asks of the document that is drawn. Each answer is worked out once per document: with
 * five hundred steps a selector that searches the document makes each key press cost a quarter of a million looks.
 */
export interface Look {
  step: (id: string) => Step | undefined;
  title: (id: string) => string;
  summary: (id: string) => string;
}

const looks = new WeakMap<FunnelDocument, { locale: string; look: Look }>();

export function lookOf(s: Pick<EditorState, "shown" | "catalogue">): Look {
  const known = looks.get(s.shown);
  if (known?.locale === i18n.locale) return known.look;
  const look = makeLook(s);
  looks.set(s.shown, { locale: i18n.locale, look });
  return look;
}

function makeLook({ shown, catalogue }: Pick<EditorState, "shown" | "catalogue">): Look {
  const steps = new Map(shown.graph.nodes.map((n) => [n.id, n]));
  const text = (of: (step: Step) => string) => {
    const said = new Map<string, string>();
    return (id: string) => {
      let words = said.get(id);
      if (words === undefined) {
        const step = steps.get(id);
        words = step ? of(step) : "";
        said.set(id, words);
      }
      return words;
    };
  };
  return {
    step: (id) => steps.get(id),
    title: text((step) => titleOf(step, catalogue, shown)),
    summary: text((step) => summaryOf(step, catalogue, shown)),
  };
}

/** An answer that is worked out once for each object it is about, for as long as that object lives. */
function once<K extends object, V>(answer: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, V>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) {
      found = answer(of);
      known.set(of, found);
    }
    return found;
  };
}

const ranks = once((structure: Structure) => new Map(structure.order.map((step, i) => [step, i + 1])));

/** The number of a step in the order in which the funnel is read, from 1; 0 when it is not in it. */
export function rankOf(structure: Structure, id: string): number {
  return ranks(structure).get(id) ?? 0;
}

/** The ways out in a list, as "from/port". */
export const wayKeys = once(
  (ways: readonly { from: string; port: string }[]): Set<string> => new Set(ways.map((w) => `${w.from}/${w.port}`)),
);

/** The steps in a list. */
export const stepKeys = once((ids: readonly string[]): Set<string> => new Set(ids));

const suggestions = once((all: readonly Suggestion[]) => new Map(all.map((s) => [s.step, s.what])));

/** What the assistant suggests of a step. */
export function suggestedAt(s: Pick<EditorState, "proposal">, step: string): Suggestion["what"] | undefined {
  return s.proposal && suggestions(s.proposal.suggestions).get(step);
}

const passes = once((counts: Counts) => new Map(counts.edges.map((e) => [`${e.from}/${e.port}`, e.passed])));

/** How many people took a way out; undefined when nothing is known of it. */
export function passedAt(counts: Counts | undefined, from: string, port: string): number | undefined {
  return counts && passes(counts).get(`${from}/${port}`);
}
