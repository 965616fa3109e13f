import { plural, t } from "@lingui/core/macro";
import type { Catalogue } from "./catalogue";
import type { Duration, EventRule, FunnelDocument, Rule } from "./types";
import { word } from "./words";

/** Slugs and event names as words: "order_placed" reads "Order placed". */
export function humanise(slug: string): string {
  const text = slug
    .replace(/^[a-z_]+:/, "")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function duration(d: Partial<Duration> | undefined): string {
  const n = Number(d?.amount ?? 0);
  switch (d?.unit) {
    case "minutes":
      return plural(n, { one: "# minute", other: "# minutes" });
    case "hours":
      return plural(n, { one: "# hour", other: "# hours" });
    case "weeks":
      return plural(n, { one: "# week", other: "# weeks" });
    default:
      return plural(n, { one: "# day", other: "# days" });
  }
}

export function inDays(d: Partial<Duration> | undefined): number {
  const per = { minutes: 1 / 1440, hours: 1 / 24, days: 1, weeks: 7 };
  return Number(d?.amount ?? 0) * per[d?.unit ?? "days"];
}

/** What sentences about rules need to name things. */
export interface RuleNaming {
  catalogue: Catalogue;
  /** The name of a step as its card shows it. */
  step: (id: string) => string;
}

/** What sentences about steps need besides. */
export interface Naming extends RuleNaming {
  doc: FunnelDocument;
}

const builtIn: Record<string, () => string> = {
  first_name: () => t`First name`,
  last_name: () => t`Last name`,
  email: () => t`E-mail`,
  phone: () => t`Phone`,
  language: () => t`Language`,
  zone: () => t`Time zone`,
  city: () => t`City`,
  country: () => t`Country`,
  created_at: () => t`Added on`,
};

export function fieldName(path: string): string {
  if (path.startsWith("event.")) return t`${humanise(path.slice("event.".length))} of the event`;
  return builtIn[path]?.() ?? humanise(path);
}

const eventNames: Record<string, () => string> = {
  contact_created: () => t`A person is added`,
  contact_updated: () => t`A person is changed`,
  list_joined: () => t`A list is joined`,
  list_left: () => t`A list is left`,
  tag_added: () => t`A tag is added`,
  tag_removed: () => t`A tag is taken off`,
  message_sent: () => t`A message is sent`,
  message_delivered: () => t`A message is delivered`,
  message_opened: () => t`A message is opened`,
  link_clicked: () => t`A link is clicked`,
  message_replied: () => t`A message is answered`,
  message_bounced: () => t`A message bounces`,
  message_complained: () => t`Somebody calls a message spam`,
  unsubscribed: () => t`Somebody unsubscribes`,
  consent_changed: () => t`A consent changes`,
  goal_reached: () => t`A goal is reached`,
  form_submitted: () => t`A form is sent`,
  page_visited: () => t`A page is visited`,
  booking_made: () => t`A booking is made`,
  booking_cancelled: () => t`A booking is cancelled`,
  payment_made: () => t`A payment is made`,
  payment_refunded: () => t`A payment is refunded`,
  segment_entered: () => t`A segment is entered`,
  segment_left: () => t`A segment is left`,
  date_reached: () => t`A date comes`,
  schedule_due: () => t`A recurring time comes`,
};

export function eventName(name: string): string {
  return eventNames[name]?.() ?? humanise(name);
}

export function messageDid(did: string): string {
  switch (did) {
    case "sent":
      return t`got`;
    case "delivered":
      return t`received`;
    case "opened":
      return t`opened`;
    case "clicked":
      return t`clicked in`;
    case "replied":
      return t`answered`;
    case "bounced":
      return t`could not get`;
    default:
      return did;
  }
}

export function operatorLabel(catalogue: Catalogue, op: string): string {
  const known = catalogue.data.operators.find((o) => o.op === op);
  return word(`op.${op}.label`, known?.label ?? op);
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "…";
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : "…";
  if (typeof value === "object" && "amount" in value) return duration(value as Duration);
  return String(value);
}

function eventSentence(e: EventRule, naming: RuleNaming): string {
  const within = e.within ? ` ${t`within ${duration(e.within)}`}` : "";
  const where = e.where ? ` (${ruleSentence(e.where, naming)})` : "";
  const name = eventName(e.name || "…");
  if (!e.agg || e.agg === "count") {
    const op = e.op ?? "gte";
    const n = Number(e.value ?? 1);
    if (op === "gte" && n === 1) return `“${name}”${within}${where}`;
    const times = plural(n, { one: "# time", other: "# times" });
    return `“${name}” ${operatorLabel(naming.catalogue, op)} ${times}${within}${where}`;
  }
  return `${aggregate(e.agg)} ${humanise(e.property ?? "")}, “${name}”, ${operatorLabel(naming.catalogue, e.op ?? "gte")} ${valueText(e.value)}${within}${where}`;
}

export function aggregate(agg: string): string {
  switch (agg) {
    case "sum":
      return t`Sum of`;
    case "min":
      return t`Least`;
    case "max":
      return t`Largest`;
    case "avg":
      return t`Average of`;
    case "first":
      return t`First`;
    case "last":
      return t`Last`;
    default:
      return t`How often`;
  }
}

/** A rule in words, as cards and summaries say it. */
export function ruleSentence(rule: Rule | undefined, naming: RuleNaming): string {
  if (!rule) return "…";
  const parts = (rules: Rule[]) => rules.map((r) => nested(r, naming)).filter((part) => part !== "…");
  if ("all" in rule) return parts(rule.all).join(` ${t`and`} `) || "…";
  if ("any" in rule) return parts(rule.any).join(` ${t`or`} `) || "…";
  if ("not" in rule) return t`not: ${nested(rule.not, naming)}`;
  if ("event" in rule) return eventSentence(rule.event, naming);
  if ("tag" in rule) return t`has the tag ${humanise(rule.tag)}`;
  if ("list" in rule) return t`is on the list ${humanise(rule.list)}`;
  if ("segment" in rule) return t`is in the segment ${humanise(rule.segment)}`;
  if ("consent" in rule)
    return rule.consent.state === "granted"
      ? t`agreed to ${rule.consent.channel}`
      : t`did not agree to ${rule.consent.channel}`;
  if ("message" in rule) return `${messageDid(rule.message.did)} “${naming.step(rule.message.step)}”`;
  // A condition of which nothing is chosen yet says nothing.
  if (!rule.field) return "…";
  const op = naming.catalogue.data.operators.find((o) => o.op === rule.op);
  const tail = op?.value === "none" ? "" : ` ${valueText(rule.value)}`;
  return `${fieldName(rule.field)} ${operatorLabel(naming.catalogue, rule.op ?? "")}${tail}`;
}

function nested(rule: Rule, naming: RuleNaming): string {
  const group = ("all" in rule && rule.all.length > 1) || ("any" in rule && rule.any.length > 1);
  return group ? `(${ruleSentence(rule, naming)})` : ruleSentence(rule, naming);
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
