import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import {
  type Icon,
  IconClick,
  IconClock,
  IconEye,
  IconHandStop,
  IconHelp,
  IconHourglassOff,
  IconMail,
  IconMailCheck,
  IconMailOff,
  IconMailX,
} from "@tabler/icons-react";
import type { Message, MessageState } from "@/api/messages";

const words = {
  queued: msg`Waiting`,
  held: msg`Held`,
  sending: msg`Leaving now`,
  sent: msg`Sent`,
  delivered: msg`Delivered`,
  bounced: msg`Bounced`,
  failed: msg`Failed`,
  skipped: msg`Not sent`,
  expired: msg`Too late, not sent`,
  unknown: msg`Perhaps sent`,
} as const;

/** Every sentence about sending says whether it was the sandbox. */
const sandboxWords = { ...words, sent: msg`Would be sent`, delivered: msg`Would be delivered` } as const;

const reasons = {
  no_consent: msg`they have not agreed to it`,
  topic_left: msg`they do not want this topic`,
  suppressed: msg`nothing is sent to this address`,
  unsubscribed: msg`they unsubscribed`,
  void: msg`they left the funnel before`,
  expired: msg`it was too late for it`,
  funnel_stopped: msg`the funnel was stopped`,
  gone: msg`the person was erased`,
  no_address: msg`there is no address`,
  held: msg`somebody holds it in the outbox`,
  dropped: msg`somebody took it out of the outbox`,
  campaign_paused: msg`the campaign is paused`,
  campaign_cancelled: msg`the campaign was cancelled before`,
  no_provider: msg`nobody is set up to carry messages of this kind`,
  creative_missing: msg`the message has no content`,
  content: msg`a value of theirs does not fit the message`,
  workspace_paused: msg`all sending is paused`,
  funnel_paused: msg`the funnel is paused`,
  quiet_hours: msg`it is their quiet hours`,
  frequency_cap: msg`they have had as many messages as your limit allows`,
} as const;

const signs: Record<MessageState, { icon: Icon; tone: string }> = {
  queued: { icon: IconClock, tone: "plain" },
  held: { icon: IconHandStop, tone: "warning" },
  sending: { icon: IconMail, tone: "plain" },
  sent: { icon: IconMail, tone: "plain" },
  delivered: { icon: IconMailCheck, tone: "ok" },
  bounced: { icon: IconMailX, tone: "error" },
  failed: { icon: IconMailX, tone: "error" },
  skipped: { icon: IconMailOff, tone: "warning" },
  expired: { icon: IconHourglassOff, tone: "warning" },
  unknown: { icon: IconHelp, tone: "warning" },
};

/** What became of a message, furthest first: clicked, opened, then the state. */
export function useMessageWords() {
  const { t } = useLingui();
  const stateWord = (state: MessageState, sandbox = false) => t(sandbox ? sandboxWords[state] : words[state]);
  const reasonWord = (reason: string) => {
    if (reason in reasons) return t(reasons[reason as keyof typeof reasons]);
    // The gate's word and what it was about, such as "variable: event.total" or "refused: 550".
    const [cause, what] = reason.split(": ");
    if (cause === "variable" && what) return t`the variable ${what} has no value`;
    if (cause === "refused" && what) return t`the mail server refused it (${what})`;
    if (cause === "account" && what) return t`the account that sends is out of order (${what})`;
    if (cause === "gave up" && what) return t`the mail server did not take it in time (${what})`;
    return reason.replaceAll("_", " ");
  };
  const outcome = (message: Message): { icon: Icon; tone: string; word: string } => {
    if (message.state === "sent" || message.state === "delivered") {
      if (message.clicked) return { icon: IconClick, tone: "ok", word: t`Clicked` };
      if (message.opened) return { icon: IconEye, tone: "ok", word: t`Opened` };
    }
    return { ...signs[message.state], word: stateWord(message.state, message.provider !== "smtp") };
  };
  return { stateWord, reasonWord, outcome };
}
