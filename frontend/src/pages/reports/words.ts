import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ReportBy, ReportNumber } from "@/api/reports";

const numbers = {
  sent: msg`Sent`,
  delivered: msg`Delivered`,
  undelivered: msg`Not delivered`,
  opened: msg`Opened`,
  clicked: msg`Clicked`,
  bounced: msg`Bounced`,
  complained: msg`Complained`,
  unsubscribed: msg`Unsubscribed`,
  converted: msg`Reached the goal`,
  recovered: msg`Carts recovered`,
} as const satisfies Record<ReportNumber, unknown>;

export function useNumberName(): (what: ReportNumber) => string {
  const { t } = useLingui();
  return (what) => t(numbers[what]);
}

const bys = {
  total: msg`Everything`,
  funnel: msg`Funnel`,
  step: msg`Step`,
  variant: msg`Variant`,
  campaign: msg`Campaign`,
  domain: msg`Domain`,
  provider: msg`Provider`,
  channel: msg`Channel`,
  day: msg`Day`,
  hour: msg`Hour`,
} as const satisfies Record<ReportBy, unknown>;

export function useByName(): (by: ReportBy) => string {
  const { t } = useLingui();
  return (by) => t(bys[by]);
}

const sandbox = "00000000-0000-0000-0000-000000000000";

/** What a line is called, where it is not called by its own name. */
export function useLineName(): (by: ReportBy, row: { key: string; label: string }) => string {
  const { t } = useLingui();
  return (by, row) => {
    if (by === "provider" && row.key === sandbox) return t`Test inbox`;
    if (row.label) return row.label;
    if (row.key && by !== "funnel" && by !== "step") return row.key;
    return by === "campaign" ? t`No campaign` : by === "variant" ? t`No variant` : t`Outside funnels`;
  };
}
