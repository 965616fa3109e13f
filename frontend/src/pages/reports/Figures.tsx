import { useLingui } from "@lingui/react/macro";
import { Skeleton } from "@mantine/core";
import type { ReportNumber, ReportRow } from "@/api/reports";
import { useFormat } from "@/ui/format";
import { moneyOf } from "./money";
import classes from "./reports.module.css";
import { useNumberName } from "./words";

/** The six numbers that say most, each with what it is a share of, each a way to its people. */
export function Figures({ total, onOpen }: { total?: ReportRow | undefined; onOpen: (what: ReportNumber) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const name = useNumberName();
  if (!total) return <Skeleton h={88} radius={10} />;
  const share = (n: number, of: number) => (of > 0 ? format.percent(n / of) : "–");
  const tiles: { what: ReportNumber; n: number; says: string; bad?: boolean }[] = [
    { what: "sent", n: total.sent, says: t`messages` },
    {
      what: "delivered",
      n: total.delivered,
      says: t`${share(total.delivered, total.sent)} of the sent`,
      bad: total.needs.includes("delivered"),
    },
    { what: "opened", n: total.opened, says: t`${share(total.opened, total.delivered)} of the delivered` },
    { what: "clicked", n: total.clicked, says: t`${share(total.clicked, total.delivered)} of the delivered` },
    { what: "converted", n: total.converted, says: moneyOf(total.revenue, format) || t`within 7 days of a message` },
    { what: "recovered", n: total.recovered, says: moneyOf(total.saved, format) || t`left, and ordered after all` },
  ];
  return (
    <ul className={classes.figures}>
      {tiles.map((tile) => (
        <li key={tile.what}>
          <button type="button" data-testid={`figure-${tile.what}`} onClick={() => onOpen(tile.what)}>
            <span>{name(tile.what)}</span>
            <b className="num">{format.number(tile.n)}</b>
            <span className="meta num" data-bad={tile.bad || undefined}>
              {tile.says}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
