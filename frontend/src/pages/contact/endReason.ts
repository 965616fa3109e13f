import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const reasons = {
  goal: msg`reached the goal`,
  goal_reached: msg`reached the goal`,
  replaced: msg`a newer event started it again`,
  unsubscribed: msg`unsubscribed`,
  erased: msg`was erased`,
  merged: msg`was merged with another person`,
  stopped: msg`the funnel was stopped`,
  ended: msg`was taken out by hand`,
  manual: msg`was taken out by hand`,
} as const;

/** Why a run ended before its last step. */
export function useEndReason(): (reason: string | undefined) => string {
  const { t } = useLingui();
  return (reason) =>
    reason && reason in reasons
      ? t(reasons[reason as keyof typeof reasons])
      : reason?.replaceAll("_", " ") || t`no reason given`;
}
