import type { Rule } from "@/canvas/types";

/** A rule of which something is not chosen yet, so that nobody need be asked about it. */
export function unfinished(rule: Rule): boolean {
  if ("all" in rule) return rule.all.some(unfinished);
  if ("any" in rule) return rule.any.some(unfinished);
  if ("not" in rule) return unfinished(rule.not);
  if ("event" in rule) return rule.event.name === "" || rule.event.value === "" || within(rule.event.where);
  if ("tag" in rule) return rule.tag === "";
  if ("list" in rule) return rule.list === "";
  if ("segment" in rule) return rule.segment === "";
  if ("consent" in rule) return false;
  if ("message" in rule) return rule.message.step === "";
  return rule.field === "" || empty(rule.value);
}

const within = (rule: Rule | undefined) => rule !== undefined && unfinished(rule);

function empty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && (value.length === 0 || value.includes("")));
}
