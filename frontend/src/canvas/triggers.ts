import { t } from "@lingui/core/macro";
import { eventName, humanise } from "./sentences";
import type { Trigger } from "./types";

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
    case "manual":
      return { title: t`You start it yourself`, detail: "" };
    default:
      return { title: humanise(trigger.kind), detail: where };
  }
}
