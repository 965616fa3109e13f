import { useLingui } from "@lingui/react/macro";
import { Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useMemo } from "react";
import type { ReportRow } from "@/api/reports";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import classes from "./reports.module.css";
import { eachDay } from "./series";

const edge = { height: 180, top: 12, bottom: 26, left: 40 };

/** Messages by day: what left as a column, what was opened inside it, goals as a line of dots. */
export function Trend({
  rows,
  from,
  days,
}: {
  rows?: ReportRow[] | undefined;
  from?: string | undefined;
  days: number;
}) {
  const { t } = useLingui();
  const format = useFormat();
  // As wide as the panel, so that the words keep their size and the last day is in sight on a phone too.
  const { ref, width } = useElementSize<HTMLDivElement>();
  const size = { ...edge, width: Math.max(280, width || 960) };
  const series = useMemo(() => eachDay(rows ?? [], from ? format.dayKey(from) : "", days), [rows, from, days, format]);
  if (!rows || !from) return <Skeleton h={240} radius={10} />;
  const most = Math.max(4, ...series.map((day) => day.sent));
  const step = (size.width - size.left) / series.length;
  const wide = Math.max(1, Math.min(28, step * 0.7));
  const y = (n: number) => size.top + (size.height - size.top - size.bottom) * (1 - n / most);
  const floor = y(0);
  const every = Math.ceil(series.length / Math.max(2, Math.min(8, Math.floor(size.width / 90))));
  return (
    <Panel
      title={t`By day`}
      actions={
        <span className={classes.legend}>
          <span data-of="sent">{t`Sent`}</span>
          <span data-of="opened">{t`Opened`}</span>
          <span data-of="converted">{t`Reached the goal`}</span>
        </span>
      }
    >
      <div ref={ref}>
        <svg
          className={classes.trend}
          viewBox={`0 0 ${size.width} ${size.height}`}
          role="img"
          aria-label={t`Messages by day`}
        >
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line x1={size.left} x2={size.width} y1={y(most * part)} y2={y(most * part)} />
              <text x={size.left - 8} y={y(most * part) + 4} textAnchor="end">
                {format.number(Math.round(most * part))}
              </text>
            </g>
          ))}
          {series.map((day, i) => {
            const x = size.left + i * step + step / 2;
            return (
              <g key={day.key}>
                <title>{t`${format.weekday(`${day.key}T12:00:00Z`)}: ${day.sent} sent, ${day.opened} opened, ${day.converted} reached the goal`}</title>
                <rect className={classes.hit} x={x - step / 2} y={size.top} width={step} height={floor - size.top} />
                <rect
                  className={classes.sent}
                  x={x - wide / 2}
                  y={y(day.sent)}
                  width={wide}
                  height={floor - y(day.sent)}
                  rx={2}
                />
                <rect
                  className={classes.openedBar}
                  x={x - wide / 2}
                  y={y(day.opened)}
                  width={wide}
                  height={floor - y(day.opened)}
                  rx={2}
                />
                {day.converted > 0 && <circle cx={x} cy={y(Math.min(most, day.converted))} r={3.5} />}
                {i % every === 0 && (
                  <text x={x} y={size.height - 8} textAnchor="middle">
                    {format.day(`${day.key}T12:00:00Z`)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
    </Panel>
  );
}
