import { t } from "@lingui/core/macro";
import type { Change } from "./answers";
import { titleOf, viewOfKind } from "./kinds";
import { stepById } from "./ports";
import { duration, eventName, humanise, type Naming, ruleSentence } from "./sentences";
import type { Arm, Duration, FieldSpec, FunnelDocument, Rule, Trigger } from "./types";
import { word } from "./words";

/** A difference of versions for the eye: what sort it is, which step, and the sentence. */
export interface SaidChange {
  sort: "added" | "removed" | "moved" | "changed";
  step: string;
  text: string;
}

const cut = (text: string) => (text.length > 90 ? `${text.slice(0, 88)}…` : text);

const reentryWords: Record<string, () => string> = {
  once: () => t`once, ever`,
  after_exit: () => t`again, after they have left`,
  restart: () => t`start over each time`,
  each: () => t`once for each key`,
};

/** A value of a step's setting as its author would read it aloud. */
export function fieldValue(kind: string, field: FieldSpec | undefined, value: unknown, naming: Naming): string {
  if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0))
    return t`nothing`;
  const option = (v: unknown) =>
    word(`kind.${kind}.${field?.key}.${String(v)}`, field?.options?.find((o) => o.value === v)?.label ?? String(v));
  switch (field?.type) {
    case "duration":
      return duration(value as Duration);
    case "rule":
      return ruleSentence(value as Rule, naming);
    case "select":
      return option(value);
    case "multi":
      return (value as unknown[]).map(option).join(", ");
    case "bool":
      return value === true ? t`yes` : t`no`;
    case "ref":
      return humanise(String(value));
    case "event": {
      const event = value as { name?: string; where?: Rule };
      const name = `“${eventName(event.name ?? "")}”`;
      return event.where ? `${name} (${ruleSentence(event.where, naming)})` : name;
    }
    case "reentry": {
      const rule = value as { rule?: string; pause?: Duration; key?: string };
      const base = reentryWords[rule.rule ?? "once"]?.() ?? String(rule.rule);
      return [base, rule.pause && duration(rule.pause), rule.key].filter(Boolean).join(", ");
    }
    case "arms":
      return (value as Arm[]).map((arm) => `${arm.label || arm.id} ${arm.weight} %`).join(", ");
    default:
      return cut(typeof value === "object" ? JSON.stringify(value) : String(value));
  }
}

function triggerText(value: unknown, naming: Naming): string {
  const trigger = (value ?? {}) as Trigger;
  const title = word(`kind.${trigger.kind}.title`, naming.catalogue.trigger(trigger.kind).title);
  const what = trigger.name ?? trigger.tag ?? trigger.list ?? trigger.segment ?? trigger.form;
  return what ? `${title}: ${humanise(String(what))}` : title;
}

function textPart(field: string): string {
  switch (field) {
    case "subject":
      return t`Subject`;
    case "preheader":
      return t`Preview text`;
    case "reply_to":
      return t`Answers go to`;
    case "order":
      return t`The order of the message's parts`;
    case "content":
      return t`Content`;
    default:
      return t`Text`;
  }
}

/** The document to take names from: steps it lacks are called as another one has them. */
export function alsoNamed(doc: FunnelDocument, other: FunnelDocument): FunnelDocument {
  const lost = other.graph.nodes.filter((step) => !stepById(doc.graph, step.id));
  if (lost.length === 0) return doc;
  return {
    ...doc,
    graph: { ...doc.graph, nodes: [...doc.graph.nodes, ...lost] },
    creatives: { ...other.creatives, ...doc.creatives },
  };
}

/** One difference in words. Steps are named as their cards are; one that is gone keeps the name it had. */
export function sayChange(c: Change, naming: Naming): SaidChange {
  const name = (id: string) => {
    const step = stepById(naming.doc.graph, id);
    return step ? titleOf(step, naming.catalogue, naming.doc) : id;
  };
  const names = (list: unknown) =>
    (Array.isArray(list) ? list : []).map((id) => `“${name(String(id).split(":")[0] ?? "")}”`).join(", ");
  const kindWord = (kind: string) => viewOfKind(naming.catalogue, kind).word();
  const here = stepById(naming.doc.graph, c.node);
  const step = here ? `${kindWord(here.kind)}: ${name(c.node)}` : [kindWord(c.kind), c.name].filter(Boolean).join(": ");
  const said = (sort: SaidChange["sort"], text: string): SaidChange => ({ sort, step, text });
  switch (c.code) {
    case "step_added":
      return said("added", c.to ? t`new, after ${names(c.to)}` : t`new step`);
    case "step_removed":
      return said("removed", t`removed`);
    case "step_moved":
      return said("moved", c.to ? t`now follows ${names(c.to)}` : t`nothing leads to it any more`);
    case "step_replaced":
      return said("changed", t`was “${kindWord(String(c.from))}”, is “${kindWord(String(c.to))}”`);
    case "step_renamed":
      return said("changed", c.from ? t`was called “${String(c.from)}”` : t`has a name now`);
    case "step_off":
      return said("changed", t`turned off: people pass it by`);
    case "step_on":
      return said("changed", t`turned on again`);
    case "path_ends":
      return said("moved", t`the way on ends here now`);
    case "trigger_added":
      return said("added", t`also starts on “${triggerText(c.to, naming)}”`);
    case "trigger_removed":
      return said("removed", t`no longer starts on “${triggerText(c.from, naming)}”`);
    case "text": {
      const part = textPart(c.field ?? "");
      if (c.from === undefined && c.to === undefined) return said("changed", t`${part}: changed`);
      if (c.from === undefined) return said("changed", t`${part}: added “${cut(String(c.to))}”`);
      if (c.to === undefined) return said("changed", t`${part}: taken out “${cut(String(c.from))}”`);
      return said("changed", t`${part}: “${cut(String(c.from))}” → “${cut(String(c.to))}”`);
    }
    default: {
      const field = naming.catalogue.kind(c.kind).fields.find((f) => f.key === c.field);
      const label = word(`kind.${c.kind}.${c.field}.label`, c.label ?? c.field ?? "");
      const from = fieldValue(c.kind, field, c.from, naming);
      const to = fieldValue(c.kind, field, c.to, naming);
      return said("changed", `${label}: ${from} → ${to}`);
    }
  }
}
