import { plural, t } from "@lingui/core/macro";
import { eventName, fieldName, humanise } from "./sentences";
import { triggersOf } from "./sizes";
import type { FunnelDocument, Trigger } from "./types";
import { word } from "./words";

/** A trigger in words: what happens, and in short what it must fulfil. */
export function triggerSentence(trigger: Trigger): { title: string; detail: string } {
  const where = trigger.where ? t`with a condition` : "";
  switch (trigger.kind) {
    case "api_event":
      return { title: trigger.name ? eventName(String(trigger.name)) : t`Which event?`, detail: where };
    case "contact_created":
      return { title: t`A person is added`, detail: trigger.source ? String(trigger.source) : "" };
    case "list_join":
      return { title: trigger.list ? t`Joins ${humanise(String(trigger.list))}` : t`Which list?`, detail: where };
    case "tag_added":
      return { title: trigger.tag ? t`Gets the tag ${humanise(String(trigger.tag))}` : t`Which tag?`, detail: where };
    case "form_submit":
      return {
        title: trigger.form ? t`Sends the form ${humanise(String(trigger.form))}` : t`Which form?`,
        detail: where,
      };
    case "page_visit": {
      const times = Number(trigger.times ?? 1);
      return {
        title: trigger.url ? t`Visits ${String(trigger.url)}` : t`Which page?`,
        detail: times > 1 ? plural(times, { one: "at least # time", other: "at least # times" }) : "",
      };
    }
    case "booking_made":
      return { title: trigger.resource ? t`Books ${humanise(String(trigger.resource))}` : t`Books a time`, detail: "" };
    case "payment_made":
      return { title: t`Pays`, detail: paymentSentence(trigger) };
    case "segment_enter":
      return {
        title: trigger.segment ? t`Enters ${humanise(String(trigger.segment))}` : t`Which segment?`,
        detail: where,
      };
    case "date_field":
      return {
        title: trigger.field ? t`${fieldName(String(trigger.field).replace(/^field:/, ""))} comes` : t`Which date?`,
        detail: trigger.yearly ? t`every year` : "",
      };
    case "schedule":
      return {
        title: t`At a recurring time`,
        detail: trigger.audience ? t`for ${humanise(String(trigger.audience))}` : "",
      };
    case "manual":
      return { title: t`You start it yourself`, detail: "" };
    default:
      return { title: humanise(trigger.kind), detail: where };
  }
}

function paymentSentence(trigger: Trigger): string {
  const amount = trigger.amount as { op?: string; value?: number } | undefined;
  const currency = String(trigger.currency ?? "").toUpperCase();
  if (amount?.value === undefined) return currency;
  return `${word(`comparison.${amount.op ?? "gte"}`, amount.op ?? "")} ${amount.value} ${currency}`.trim();
}

/** The event of the customer's application that starts the funnel, if one does. */
export function startingEvent(doc: FunnelDocument): string {
  const entry = doc.graph.nodes.find((n) => n.kind === "entry");
  const trigger = entry && triggersOf(entry).find((x) => x.kind === "api_event");
  return typeof trigger?.name === "string" ? trigger.name : "";
}
