import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import {
  type Icon,
  IconBolt,
  IconBrowser,
  IconCake,
  IconCalendarCancel,
  IconCalendarCheck,
  IconCalendarRepeat,
  IconCash,
  IconCheck,
  IconClick,
  IconCornerUpLeft,
  IconEye,
  IconFlag,
  IconForms,
  IconListCheck,
  IconMail,
  IconMailOff,
  IconMailX,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconReceiptRefund,
  IconShieldCheck,
  IconTag,
  IconUserPlus,
  IconUsersGroup,
} from "@tabler/icons-react";

interface Sign {
  icon: Icon;
  family: string;
}

const words = {
  contact_created: msg`Became known`,
  contact_updated: msg`Details changed`,
  list_joined: msg`Joined a list`,
  list_left: msg`Left a list`,
  tag_added: msg`Got a tag`,
  tag_removed: msg`Lost a tag`,
  message_sent: msg`Was sent a message`,
  message_skipped: msg`Was not sent`,
  message_failed: msg`Could not be sent`,
  message_expired: msg`Too late, not sent`,
  message_delivered: msg`Got the message`,
  message_opened: msg`Opened the message`,
  link_clicked: msg`Clicked a link`,
  message_replied: msg`Replied`,
  message_bounced: msg`The message bounced`,
  message_complained: msg`Called the message spam`,
  unsubscribed: msg`Unsubscribed`,
  consent_changed: msg`Changed what they agree to`,
  run_started: msg`Entered a funnel`,
  run_ended: msg`Left a funnel`,
  goal_reached: msg`Reached the goal`,
  manual_start: msg`Was started by hand`,
  form_submitted: msg`Sent a form`,
  page_visited: msg`Visited a page`,
  booking_made: msg`Booked a time`,
  booking_cancelled: msg`Cancelled a booking`,
  payment_made: msg`Paid`,
  payment_refunded: msg`Got money back`,
  segment_entered: msg`Entered a segment`,
  segment_left: msg`Left a segment`,
  date_reached: msg`A date came`,
  schedule_due: msg`A recurring time came`,
} as const;

const signs: Record<string, Sign> = {
  contact_created: { icon: IconUserPlus, family: "trigger" },
  contact_updated: { icon: IconPencil, family: "action" },
  list_joined: { icon: IconListCheck, family: "action" },
  list_left: { icon: IconListCheck, family: "plain" },
  tag_added: { icon: IconTag, family: "action" },
  tag_removed: { icon: IconTag, family: "plain" },
  message_sent: { icon: IconMail, family: "message" },
  message_skipped: { icon: IconMailOff, family: "error" },
  message_failed: { icon: IconMailX, family: "error" },
  message_expired: { icon: IconMailOff, family: "error" },
  message_delivered: { icon: IconCheck, family: "trigger" },
  message_opened: { icon: IconEye, family: "trigger" },
  link_clicked: { icon: IconClick, family: "trigger" },
  message_replied: { icon: IconCornerUpLeft, family: "trigger" },
  message_bounced: { icon: IconMailX, family: "error" },
  message_complained: { icon: IconMailX, family: "error" },
  unsubscribed: { icon: IconMailOff, family: "error" },
  consent_changed: { icon: IconShieldCheck, family: "action" },
  run_started: { icon: IconPlayerPlay, family: "trigger" },
  run_ended: { icon: IconPlayerStop, family: "plain" },
  goal_reached: { icon: IconFlag, family: "goal" },
  manual_start: { icon: IconPlayerPlay, family: "trigger" },
  form_submitted: { icon: IconForms, family: "trigger" },
  page_visited: { icon: IconBrowser, family: "trigger" },
  booking_made: { icon: IconCalendarCheck, family: "trigger" },
  booking_cancelled: { icon: IconCalendarCancel, family: "error" },
  payment_made: { icon: IconCash, family: "goal" },
  payment_refunded: { icon: IconReceiptRefund, family: "error" },
  segment_entered: { icon: IconUsersGroup, family: "trigger" },
  segment_left: { icon: IconUsersGroup, family: "plain" },
  date_reached: { icon: IconCake, family: "trigger" },
  schedule_due: { icon: IconCalendarRepeat, family: "trigger" },
};

/** What an event is called. A customer's own event keeps its name. */
export function useEventWord(): (name: string) => string {
  const { t } = useLingui();
  return (name) => (name in words ? t(words[name as keyof typeof words]) : name);
}

/** Icon and family colour of an event. */
export function signOf(name: string): Sign {
  return signs[name] ?? { icon: IconBolt, family: "trigger" };
}

/** Ids tie an event to its run and message; they tell a reader nothing. */
const isId = (value: unknown) => typeof value === "string" && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}$/i.test(value);

/** Names and values that events of our own carry, and those that shops usually send. */
const propertyWords: Record<string, MessageDescriptor> = {
  source: msg`from`,
  total: msg`total`,
  amount: msg`amount`,
  currency: msg`currency`,
  product: msg`product`,
  city: msg`city`,
  form: msg`form`,
  list: msg`list`,
  page: msg`page`,
  url: msg`address`,
  channel: msg`channel`,
  state: msg`state`,
  reason: msg`reason`,
  class: msg`class`,
};
const sourceWords: Record<string, MessageDescriptor> = {
  api: msg`from the API`,
  import: msg`from a file`,
  form: msg`from a form`,
  booking: msg`from a booking`,
  test: msg`from a test`,
  manual: msg`by hand`,
};

/** The properties of an event as one line, in the language of the interface as far as the words are known. */
export function usePropertiesLine(): (properties: Record<string, unknown> | undefined) => string {
  const { t } = useLingui();
  const known = (of: Record<string, MessageDescriptor>, key: string) => {
    const found = Object.hasOwn(of, key) ? of[key] : undefined;
    return found && t(found);
  };
  return (properties) =>
    propertiesLine(
      properties,
      3,
      (key, value) => (key === "source" && known(sourceWords, value)) || `${known(propertyWords, key) ?? key} ${value}`,
    );
}

/** "total 120, city Kraków": the first properties of an event in one line. */
export function propertiesLine(
  properties: Record<string, unknown> | undefined,
  limit = 3,
  say = (key: string, value: string) => `${key} ${value}`,
): string {
  return Object.entries(properties ?? {})
    .filter(([, value]) => value !== null && value !== "" && typeof value !== "object" && !isId(value))
    .slice(0, limit)
    .map(([key, value]) => say(key, String(value)))
    .join(", ");
}
