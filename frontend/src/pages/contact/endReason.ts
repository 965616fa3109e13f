import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const reasons = {
  finished: msg`came to the end`,
  goal: msg`reached the goal`,
  left: msg`a step took them out`,
  replaced: msg`a newer event started it again`,
  unsubscribed: msg`unsubscribed`,
  erased: msg`was erased`,
  merged: msg`was merged with another person`,
  stopped: msg`the funnel was stopped`,
  published: msg`left when a new version was published`,
  operator: msg`was taken out by hand`,
  loop_limit: msg`went in a circle without waiting`,
} as const;

/** Why a run ended before its last step. */
export function useEndReason(): (reason: string | undefined) => string {
  const { t } = useLingui();
  return (reason) =>
    reason && reason in reasons
      ? t(reasons[reason as keyof typeof reasons])
      : reason?.replaceAll("_", " ") || t`no reason given`;
}
