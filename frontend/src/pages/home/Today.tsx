import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCan, workspaceQuery } from "@/api/session";
import { useReport } from "@/pages/reports/useReport";
import { channelIcons, useChannelName } from "@/ui/channels";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import classes from "./home.module.css";

const size = { width: 288, height: 72, foot: 18 };

/** What left today, hour by hour, as it leaves. */
export function Today() {
  return useCan()("messages.read") ? <Day /> : null;
}

function Day() {
  const { t } = useLingui();
  const format = useFormat();
  const channelName = useChannelName();
  const hours = useReport("hour", { days: 1 });
  const channels = useReport("channel", { days: 1 });
  const workspace = useQuery(workspaceQuery);
  if (!hours.data || !channels.data) return null;
  const sandbox = workspace.data?.delivery === "sandbox";
  const total = hours.data.total.sent;
  const byHour = new Map(hours.data.rows.map((row) => [Number(row.key.slice(-2)), row.sent]));
  const most = Math.max(3, ...byHour.values());
  const wide = size.width / 24;
  return (
    <Panel title={t`Today`} actions={sandbox && <span className="meta">{t`to the Test inbox`}</span>}>
      <p className={classes.today}>
        <Link to="/reports" search={{ days: 7 }} className="num">
          {format.number(total)}
        </Link>
        <span className="meta">
          {sandbox
            ? plural(total, { one: "message would have left", other: "messages would have left" })
            : plural(total, { one: "message left", other: "messages left" })}
        </span>
      </p>
      <svg
        className={classes.hours}
        viewBox={`0 0 ${size.width} ${size.height + size.foot}`}
        role="img"
        aria-label={t`Messages by hour`}
      >
        <line x1={0} x2={size.width} y1={size.height} y2={size.height} />
        {Array.from({ length: 24 }, (_, hour) => {
          const n = byHour.get(hour) ?? 0;
          const tall = n === 0 ? 0 : Math.max(3, (size.height - 4) * (n / most));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its number
            <g key={hour}>
              <title>{`${hour}:00 · ${format.number(n)}`}</title>
              <rect x={hour * wide + 2} y={size.height - tall} width={wide - 4} height={tall} rx={2} />
              {hour % 6 === 0 && (
                <text x={hour * wide + 1} y={size.height + 14}>
                  {hour}:00
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <ul className={classes.channels}>
        {channels.data.rows.map((row) => {
          const Sign = channelIcons[row.key];
          return (
            <li key={row.key}>
              {Sign && <Sign size={15} stroke={1.75} aria-hidden />}
              {channelName(row.key)}
              <span className="num">{format.number(row.sent)}</span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
