import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const reasons = {
  once: msg`the person was in it before, and it starts once`,
  active: msg`the person is in it already`,
  pause: msg`the person was in it too recently`,
  older: msg`something newer has started it anew already`,
  paused: msg`the funnel is paused`,
  filter: msg`the person does not match its filter`,
  goal_reached: msg`the goal is reached already`,
  no_key: msg`the event lacks the property it is told apart by`,
  chain_limit: msg`funnels start each other in a circle`,
  gone: msg`the person was erased`,
  broken: msg`this program is too old for it`,
  nothing_listens: msg`no live funnel starts on it, and nobody waits for it`,
  late: msg`it came more than 24 hours late, so it counts but starts nothing`,
  imported: msg`it was imported, so it counts but starts nothing`,
} as const;

/** Why an event did not start a funnel, in half a sentence. A sentence of the server is kept as it is. */
export function useReactionWords(): (reason: string | undefined) => string {
  const { t } = useLingui();
  return (reason) => {
    if (!reason) return "";
    return reason in reasons ? t(reasons[reason as keyof typeof reasons]) : reason.replaceAll("_", " ");
  };
}
