import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import type { Catalogue } from "./catalogue";
import { viewOfKind } from "./kinds";
import type { Picture } from "./layout";
import { inDays } from "./sentences";
import type { EditorState } from "./store";
import { structureOf } from "./structure";
import type { Duration, FunnelDocument, Graph, Step } from "./types";
import { type Moment, moments } from "./walk";

/** How many days after somebody started each step can come at the earliest. */
export function earliestDays(doc: FunnelDocument, catalogue: Catalogue): Map<string, number> {
  const byId = new Map(doc.graph.nodes.map((n) => [n.id, n]));
  const at = moments(structureOf(doc.graph, catalogue), (id) => {
    const step = byId.get(id);
    return { days: step && !step.off ? (viewOfKind(catalogue, step.kind).days?.(step) ?? 0) : 0 };
  });
  return new Map([...at].map(([id, moment]) => [id, moment.days]));
}

/** The steps somebody may come to at the instant they start: a way leads there on which nothing holds them. */
export function withoutWaits(doc: FunnelDocument, catalogue: Catalogue): Set<string> {
  const { roots, ways } = structureOf(doc.graph, catalogue);
  const byId = new Map(doc.graph.nodes.map((n) => [n.id, n]));
  const reached = new Set<string>();
  const todo = roots.filter((id) => byId.get(id)?.kind === "entry");
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    const step = byId.get(id);
    if (!step || reached.has(id)) continue;
    reached.add(id);
    if (step.off || !(step.kind === "wait" || step.kind === "throttle"))
      for (const way of ways.get(id) ?? []) if (way.to) todo.push(way.to);
  }
  return reached;
}

let last:
  | { picture: Picture; graph: Graph; locale: string; at: Map<string, Moment>; said: Map<string, string> }
  | undefined;

/** "day 3, 09:00": the earliest a person can be there, counted from the start. The card of a start and of a goal has no day. */
export function dayLabel(s: EditorState, step: Step): string {
  const family = s.catalogue.kind(step.kind).family;
  if (family === "trigger" || family === "goal") return "";
  if (last?.picture !== s.picture || last.graph !== s.shown.graph || last.locale !== i18n.locale) {
    const byId = new Map(s.shown.graph.nodes.map((n) => [n.id, n]));
    const wait = (id: string, port: string) => {
      const at = byId.get(id);
      if (!at || at.off) return { days: 0 };
      const late = at.kind === "wait" && port === "timeout";
      const length = late
        ? inDays(at.config.timeout as Duration | undefined)
        : (viewOfKind(s.catalogue, at.kind).days?.(at) ?? 0);
      const time = at.kind === "wait" && typeof at.config.at === "string" ? at.config.at : "";
      return time ? { days: length, time } : { days: length };
    };
    const at = moments(s.picture.structure, wait);
    last = { picture: s.picture, graph: s.shown.graph, locale: i18n.locale, at, said: new Map() };
  }
  let words = last.said.get(step.id);
  if (words === undefined) {
    const moment = last.at.get(step.id);
    const day = Math.floor(moment?.days ?? 0);
    words = moment?.time ? t`day ${day}, ${moment.time}` : t`day ${day}`;
    last.said.set(step.id, words);
  }
  return words;
}
