import { i18n } from "@lingui/core";
import type { Counts } from "./answers";
import { summaryOf, titleOf } from "./kinds";
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

const ranks = new WeakMap<Structure, Map<string, number>>();

/** The number of a step in the order in which the funnel is read, from 1; 0 when it is not in it. */
export function rankOf(structure: Structure, id: string): number {
  let rank = ranks.get(structure);
  if (!rank) {
    rank = new Map(structure.order.map((step, i) => [step, i + 1]));
    ranks.set(structure, rank);
  }
  return rank.get(id) ?? 0;
}

const sets = new WeakMap<readonly { from: string; port: string }[], Set<string>>();

/** The ways out in a list, as "from/port". */
export function wayKeys(ways: readonly { from: string; port: string }[]): Set<string> {
  let keys = sets.get(ways);
  if (!keys) {
    keys = new Set(ways.map((w) => `${w.from}/${w.port}`));
    sets.set(ways, keys);
  }
  return keys;
}

const passes = new WeakMap<Counts, Map<string, number>>();

/** How many people took a way out; undefined when nothing is known of it. */
export function passedAt(counts: Counts | undefined, from: string, port: string): number | undefined {
  if (!counts) return undefined;
  let byWay = passes.get(counts);
  if (!byWay) {
    byWay = new Map(counts.edges.map((e) => [`${e.from}/${e.port}`, e.passed]));
    passes.set(counts, byWay);
  }
  return byWay.get(`${from}/${port}`);
}
