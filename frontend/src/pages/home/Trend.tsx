import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { reportQuery } from "@/api/reports";
import { useFormat } from "@/ui/format";
import classes from "./home.module.css";

const days = 14;
const size = { width: 88, height: 26 };

/** How many messages of a funnel went out on each of the last days, as a line to recognise its course by. */
export function Trend({ funnel, name, off }: { funnel: string; name: string; off: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { data } = useQuery(reportQuery("day", { days, funnel }));
  const sent = (data?.rows ?? []).slice(-days).map((row) => row.sent);
  if (sent.length < 2) return null;
  const most = Math.max(1, ...sent);
  const step = (size.width - 4) / (sent.length - 1);
  const at = sent.map((n, i) => [2 + i * step, size.height - 3 - (size.height - 7) * (n / most)] as const);
  const line = at.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const [x, y] = at.at(-1) ?? [0, 0];
  const total = format.number(sent.reduce((sum, n) => sum + n, 0));
  return (
    <svg
      className={classes.trend}
      data-off={off || undefined}
      data-testid="trend"
      width={size.width}
      height={size.height}
      role="img"
      aria-label={t`Messages of ${name} in 14 days: ${total}`}
    >
      <polygon points={`2,${size.height} ${line} ${size.width - 2},${size.height}`} />
      <polyline points={line} />
      <circle cx={x} cy={y} r={2} />
    </svg>
  );
}
