import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Select } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Report, ReportBy, ReportNumber, ReportRow } from "@/api/reports";
import { Empty } from "@/ui/Empty";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { saveCsv } from "./csv";
import { moneyOf } from "./money";
import { useNeedSentence } from "./needs";
import classes from "./reports.module.css";
import { tableBys } from "./search";
import { useByName, useLineName, useNumberName } from "./words";

interface LinesProps {
  by: ReportBy;
  report?: Report | undefined;
  onBy: (by: ReportBy) => void;
  onOpen: (what: ReportNumber, row: ReportRow) => void;
}

const columns: { what: ReportNumber; of?: "sent" | "delivered" }[] = [
  { what: "sent" },
  { what: "delivered", of: "sent" },
  { what: "opened", of: "delivered" },
  { what: "clicked", of: "delivered" },
  { what: "bounced", of: "sent" },
  { what: "unsubscribed", of: "delivered" },
  { what: "converted", of: "delivered" },
];

/** The report as a table: a line of each funnel, step, domain and so on; the fullest first, days in their order. */
export function Lines({ by, report, onBy, onOpen }: LinesProps) {
  const { t } = useLingui();
  const format = useFormat();
  const byName = useByName();
  const name = useNumberName();
  const lineName = useLineName();
  const needs = useNeedSentence();
  const rows = [...(report?.rows ?? [])].sort((a, b) =>
    by === "day" ? b.key.localeCompare(a.key) : b.sent - a.sent || a.label.localeCompare(b.label),
  );
  const download = () =>
    saveCsv(`report-${by}.csv`, [
      [
        byName(by),
        ...columns.map(({ what }) => name(what)),
        name("complained"),
        t`Revenue`,
        name("recovered"),
        t`Recovered money`,
      ],
      ...rows.map((row) => [
        lineName(by, row),
        ...columns.map(({ what }) => row[what]),
        row.complained,
        moneyOf(row.revenue, format),
        row.recovered,
        moneyOf(row.saved, format),
      ]),
    ]);
  return (
    <Panel
      flush
      title={t`What became of messages`}
      actions={
        <>
          <Select
            aria-label={t`Split by`}
            size="sm"
            w={150}
            allowDeselect={false}
            data={tableBys.map((value) => ({ value, label: byName(value) }))}
            value={by}
            onChange={(value) => value && onBy(value as ReportBy)}
          />
          <Button
            size="sm"
            disabled={rows.length === 0}
            leftSection={<IconDownload size={15} stroke={1.75} aria-hidden />}
            onClick={download}
          >
            {t`Save as CSV`}
          </Button>
        </>
      }
    >
      {!report ? (
        <RowSkeletons rows={5} />
      ) : rows.length === 0 ? (
        <Empty
          compact
          icon={IconChartBar}
          title={t`Nothing was sent in this time`}
          text={t`Publish a funnel, or choose a longer period. Numbers appear here as messages leave.`}
        />
      ) : (
        <Rows
          lively
          heads={[
            { label: byName(by) },
            ...columns.map(({ what }) => ({ label: name(what), kind: "number" as const })),
            { label: t`Revenue`, kind: "number" },
          ]}
        >
          {rows.map((row) => (
            <Row key={row.key} data-testid={`line-${row.key}`}>
              <div className={classes.label}>
                {row.funnel_id ? (
                  <Link {...editorOf(row.funnel_id, row.node)} className="cut">
                    {lineName(by, row)}
                  </Link>
                ) : (
                  <span className="cut">
                    {by === "day" ? format.weekday(`${row.key}T12:00:00Z`) : lineName(by, row)}
                  </span>
                )}
                {row.needs.length > 0 && (
                  <Badge data-tone="error" title={needs(row)}>
                    {t`Needs attention`}
                  </Badge>
                )}
              </div>
              {columns.map(({ what, of }) => (
                <span key={what} className={classes.share}>
                  <button
                    type="button"
                    className={classes.number}
                    data-testid={`number-${row.key}-${what}`}
                    onClick={() => onOpen(what, row)}
                  >
                    {format.number(row[what])}
                  </button>{" "}
                  <span className="meta num">{of && row[of] > 0 ? format.percent(row[what] / row[of]) : ""}</span>
                </span>
              ))}
              {moneyOf(row.revenue, format) || "–"}
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}
