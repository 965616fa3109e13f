import type { ComponentType } from "react";
import { creativeSlug } from "../document";
import { readable } from "../mergeWords";
import { type Naming, ruleSentence, sentenceCase } from "../sentences";
import type { FunnelDocument, Rule, Step } from "../types";

export { readable } from "../mergeWords";

export interface IconProps {
  size?: number | string;
  stroke?: number | string;
  className?: string;
}
export type Icon = ComponentType<IconProps>;

/** How a kind looks on its card. All of it is optional but the icon: the catalogue has words for the rest. */
export interface KindView {
  kind: string;
  icon: Icon;
  /** What it does to people, above the name: "Sends an e-mail". */
  word: () => string;
  /** The name while it has none: said from the config, such as "Wait 2 days". Empty while there is nothing to say. */
  title?: (step: Step, naming: Naming) => string;
  /** What to do, while it is not set up: "What should it say?". */
  ask: () => string;
  /** One line below the name. */
  summary?: (step: Step, naming: Naming) => string;
  /** Days a person spends here at least. */
  days?: (step: Step) => number;
}

export function defineKind(view: KindView): KindView {
  return view;
}

export function ruleTitle(step: Step, naming: Naming): string {
  const rule = step.config.rule as Rule | undefined;
  const sentence = rule ? ruleSentence(rule, naming) : "…";
  return sentence === "…" ? "" : sentenceCase(sentence);
}

export function subjectOf(step: Step, doc: FunnelDocument): string {
  return readable(doc.creatives[creativeSlug(step) ?? ""]?.subject);
}

/** What a message of any channel is known by: its title, its text, or the first heading on paper. */
export function headlineOf(step: Step, doc: FunnelDocument): string {
  const creative = doc.creatives[creativeSlug(step) ?? ""];
  if (!creative) return "";
  const heading = creative.blocks?.find((b) => b.type === "heading" && b.text);
  const text = readable(creative.title || creative.text || heading?.text);
  return text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text;
}
