import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const reasons = {
  paused: msg`the funnel is paused`,
  stopped: msg`the funnel is stopped`,
  not_live: msg`the funnel is not live`,
  filter: msg`the person does not match its filter`,
  where: msg`the event does not match its condition`,
  already_in: msg`the person is in it already`,
  once: msg`the person was in it before, and it starts once`,
  pause: msg`the person was in it too recently`,
  key_missing: msg`the event lacks the property it is told apart by`,
  key_used: msg`it ran for this key before`,
  goal_already_reached: msg`the goal is reached already`,
  no_manual_trigger: msg`it does not start by hand`,
  no_trigger: msg`no live funnel starts on this event`,
  no_funnel: msg`no live funnel starts on this event`,
  nobody_waits: msg`no live funnel starts on it, and nobody waits for it`,
  no_match: msg`no live funnel starts on it, and nobody waits for it`,
  late: msg`it came more than 24 hours late, so it counts but starts nothing`,
  imported: msg`it was imported, so it counts but starts nothing`,
  history: msg`it is history, so it counts but starts nothing`,
  loop: msg`it would start itself over and over`,
} as const;

/** Why an event did not start a funnel, in half a sentence. A sentence of the server is kept as it is. */
export function useReactionWords(): (reason: string | undefined) => string {
  const { t } = useLingui();
  return (reason) => {
    if (!reason) return "";
    return reason in reasons ? t(reasons[reason as keyof typeof reasons]) : reason.replaceAll("_", " ");
  };
}
