import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReportOf, ReportRow } from "@/api/reports";
import { Panel } from "@/ui/Panel";
import { useNeedSentence } from "./needs";
import type { Opened } from "./Reports";
import classes from "./reports.module.css";
import { useReport } from "./useReport";

/** Domains below the lines, with what their servers answered. Absent when all are well. */
export function Attention({ of, onOpen }: { of: ReportOf; onOpen: (opened: Opened) => void }) {
  const { t } = useLingui();
  const sentence = useNeedSentence();
  const report = useReport("domain", of);
  const rows = report.data?.rows.filter((row) => row.needs.length > 0) ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title={t`Needs attention`} meta={rows.length} flush>
      <ul>
        {rows.map((row) => (
          <li key={row.key} className={classes.need} data-testid={`attention-${row.key}`}>
            <span className={classes.sign} data-family="error">
              <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
            </span>
            <span className={classes.says}>
              <b>{sentence(row)}</b>
              <span className="meta">
                {row.cause
                  ? t`Most often its server said: ${row.cause} (${plural(row.cause_times ?? 0, { one: "# time", other: "# times" })})`
                  : t`Its server gave no reason.`}
              </span>
            </span>
            <Button
              size="sm"
              onClick={() => onOpen({ by: "domain", what: worst(row), key: row.key, label: row.key })}
            >{t`See who`}</Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function worst(row: ReportRow): Opened["what"] {
  return row.needs[0] === "complaint" ? "complained" : row.needs[0] === "bounce" ? "bounced" : "undelivered";
}
