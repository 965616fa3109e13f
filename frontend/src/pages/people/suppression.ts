import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const reasons = {
  unsubscribed: msg`unsubscribed`,
  bounced: msg`the address bounced`,
  complained: msg`reported a message as spam`,
  erased: msg`asked to be erased`,
  manual: msg`blocked by hand`,
} as const;

/** Why nothing is sent to an address, in words. */
export function useSuppression(): (reason: string) => string {
  const { t } = useLingui();
  return (reason) => {
    const known = reasons[reason as keyof typeof reasons];
    return known ? t(known) : reason;
  };
}
