import { useLingui } from "@lingui/react/macro";
import { useFormat } from "@/ui/format";
import type { Does } from "../answers";
import type { Catalogue } from "../catalogue";
import { titleOf } from "../kinds";
import { portsOf, stepById } from "../ports";
import { useEditor } from "../store";
import type { Step } from "../types";
import { word } from "../words";

/** A way out of a step as its link on the canvas says it. */
export function portWord(catalogue: Catalogue, step: Step, port: string): string {
  const label = portsOf(catalogue, step).find((p) => p.id === port)?.label || port;
  return word(`port.${port}`, label);
}

/** What simulations, tests and rehearsals say in codes, in words. */
export function useTrialWords() {
  const { t } = useLingui();

  const skippedWhy = (reason: string, missing?: string): string => {
    const why: Record<string, string> = {
      no_consent: t`They have not agreed to get it.`,
      topic_left: t`They do not want messages on this topic.`,
      unsubscribed: t`They have unsubscribed.`,
      no_address: t`There is no address or number to send it to.`,
      expired: t`By the time it may leave it would be too late for it.`,
      quiet_hours: t`It would leave in quiet hours, and is not kept for later.`,
      frequency_cap: t`They have had as many messages as the cap allows.`,
      suppressed: t`Nothing is sent to this address.`,
      void: t`They have left the funnel before it could leave.`,
      missing_value: missing
        ? t`The variable ${missing} has no value for this person, and no text to use instead.`
        : t`A variable has no value for this person, and no text to use instead.`,
    };
    return why[reason] ?? t`Something about this person holds it back.`;
  };

  const skippedWord = (reason: string): string => {
    const why: Record<string, string> = {
      no_consent: t`no consent`,
      topic_left: t`not wanted on this topic`,
      unsubscribed: t`unsubscribed`,
      no_address: t`no address or number`,
      expired: t`too late for it`,
      quiet_hours: t`quiet hours`,
      frequency_cap: t`the cap`,
      suppressed: t`blocked address`,
      void: t`left the funnel before`,
      missing_value: t`a variable without a value`,
    };
    return why[reason] ?? reason.replaceAll("_", " ");
  };

  const endWord = (reason: string, status = ""): string => {
    const reasons: Record<string, string> = {
      finished: t`That is the end of the way.`,
      goal: t`The goal is reached; the rest is cancelled.`,
      unsubscribed: t`They unsubscribed, so it ends.`,
      loop_limit: t`They would go round and round: a wait is missing.`,
      left: t`A step takes them out of the funnel.`,
      replaced: t`A newer start takes the place of this one.`,
      stopped: t`It is ended by hand.`,
      erased: t`The person is erased, so it ends.`,
      merged: t`The person is merged with another, so it ends here.`,
    };
    const states: Record<string, string> = {
      active: t`They are still waiting there.`,
      done: t`That is the end of the way.`,
      exited: t`They leave the funnel here.`,
      parked: t`It would stop here, until somebody looks at it.`,
      paused: t`It would rest here while the funnel is paused.`,
    };
    return reasons[reason] ?? states[status] ?? states[reason] ?? t`It ends here.`;
  };

  const doesWord = (does: Does): string => {
    const words: Record<Does, string> = {
      nothing: t`nothing happens with it`,
      opens: t`they open it`,
      clicks: t`they click in it`,
      replies: t`they answer it`,
      bounces: t`it comes back as undeliverable`,
    };
    return words[does];
  };

  const channelWord = (channel: string): string => {
    const words: Record<string, string> = {
      email: t`E-mail`,
      sms: t`SMS`,
      whatsapp: t`WhatsApp`,
      push: t`Push`,
      letter: t`Letter`,
    };
    return words[channel] ?? channel;
  };

  return { skippedWhy, skippedWord, endWord, doesWord, channelWord };
}

/** `mail-1 at 2026-11-30 12:00:00 "Subject" skipped: no_consent`, as reports of tests write a message. */
const message = /^(\S+)(?: at (\d{4}-\d\d-\d\d) ([\d:.]+))?(?: "(.*)")?(?: skipped: (\w+))?$/;

/** What a test expected, or what came instead, in words. */
export function useOutcomeWords(): (text: string) => string {
  const { t } = useLingui();
  const format = useFormat();
  const { skippedWord, endWord } = useTrialWords();
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  return (text) => {
    if (text === "") return t`they are let in`;
    if (text === "the end") return t`the way ends`;
    if (text === "nothing") return t`no message`;
    if (text === "a funnel that can run") return t`a funnel that can run`;
    const title = (id: string) => {
      const step = stepById(doc.graph, id);
      return step ? titleOf(step, catalogue, doc) : id;
    };
    const [id = "", port, more] = text.split(".");
    const at = stepById(doc.graph, id);
    if (port && more === undefined && !text.includes(" ")) {
      const way = at && port !== "next" ? portWord(catalogue, at, port) : port;
      return port === "next" ? t`on from “${title(id)}”` : `“${title(id)}”: ${way}`;
    }
    if (at && id === text) return t`“${title(id)}”`;
    const [, step = "", day, time, , skipped] = message.exec(text) ?? [];
    if (step && (day || skipped)) {
      const parts = [`“${title(step)}”`];
      if (day) parts.push(format.moment(`${day}T${time}Z`));
      if (skipped) parts.push(t`not sent: ${skippedWord(skipped)}`);
      return parts.join(", ");
    }
    return /^[a-z_]+$/.test(text) ? endWord(text).replace(/\.$/, "") : text;
  };
}
