import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Select, Table } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Report, ReportBy, ReportNumber, ReportRow } from "@/api/reports";
import { Empty } from "@/ui/Empty";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
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
        <Table className={classes.lines} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{byName(by)}</Table.Th>
              {columns.map(({ what }) => (
                <Table.Th key={what} className={classes.right}>
                  {name(what)}
                </Table.Th>
              ))}
              <Table.Th className={classes.right}>{t`Revenue`}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.key} data-testid={`line-${row.key}`}>
                <Table.Td className={classes.label}>
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
                </Table.Td>
                {columns.map(({ what, of }) => (
                  <Table.Td key={what} className={classes.right}>
                    <button
                      type="button"
                      className={classes.number}
                      data-testid={`number-${row.key}-${what}`}
                      onClick={() => onOpen(what, row)}
                    >
                      {format.number(row[what])}
                    </button>
                    <span className="meta num">{of && row[of] > 0 ? format.percent(row[what] / row[of]) : ""}</span>
                  </Table.Td>
                ))}
                <Table.Td className={classes.right}>{moneyOf(row.revenue, format) || "–"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
