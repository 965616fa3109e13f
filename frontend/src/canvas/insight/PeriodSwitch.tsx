import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import c from "../canvas.module.css";
import { useEditor } from "../store";
import i from "./insight.module.css";
import { choosePeriod, type Period, periods, useInsight } from "./state";

/** The period in words. */
export function usePeriodName(): (period: Period) => string {
  const { t } = useLingui();
  return (period) =>
    ({ "24h": t`last 24 hours`, "7d": t`last 7 days`, "30d": t`last 30 days`, version: t`this version` })[period];
}

/** Bottom right: of which time the numbers are. Only where there are numbers. */
export function PeriodSwitch() {
  const { t } = useLingui();
  const name = usePeriodName();
  const period = useInsight((s) => s.period);
  const shown = useEditor((s) => s.funnel.version > 0 && s.proposal === undefined && !s.simulating);
  if (!shown) return null;
  return (
    <div className={`${i.period} ${c.float}`}>
      <span>{t`Numbers:`}</span>
      <Select
        variant="unstyled"
        size="sm"
        w={132}
        aria-label={t`Of which time the numbers are`}
        data-testid="period"
        allowDeselect={false}
        data={periods.map((value) => ({ value, label: name(value) }))}
        value={period}
        onChange={(value) => choosePeriod((value ?? period) as Period)}
        comboboxProps={{ position: "top-end", width: 180 }}
      />
    </div>
  );
}
