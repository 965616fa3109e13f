import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { campaignsQuery } from "@/api/campaigns";
import { outboxQuery } from "@/api/outbox";
import { useCan } from "@/api/session";
import { channelIcons } from "@/ui/channels";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import classes from "./home.module.css";

const most = 6;

/** What goes out next without anybody doing anything: campaigns with a date, and messages that are made and wait. Absent when nothing does. */
export function Planned() {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const campaigns = useInfiniteQuery({ ...campaignsQuery, enabled: can("campaigns.read") });
  const outbox = useQuery({ ...outboxQuery, enabled: can("messages.read") });
  const planned = [
    ...(campaigns.data?.pages.flatMap((page) => page.items) ?? []).flatMap((one) =>
      one.state === "scheduled" && one.start_at
        ? [
            {
              key: one.id,
              at: one.start_at,
              name: one.name,
              channel: one.channel as string,
              said: "",
              campaign: one.id,
            },
          ]
        : [],
    ),
    ...(outbox.data ?? []).flatMap((group) =>
      group.waiting > 0 && group.leaves_at
        ? [
            {
              key: group.message_id,
              at: group.leaves_at,
              name: group.step ? `${group.name}: ${group.step}` : group.name || t`Other messages`,
              channel: group.channel,
              said: plural(group.waiting, { one: "# message", other: "# messages" }),
              campaign: "",
            },
          ]
        : [],
    ),
  ].sort((a, b) => a.at.localeCompare(b.at));
  if (planned.length === 0) return null;
  return (
    <Panel title={t`Coming up`} flush>
      <ul className={classes.planned} data-testid="planned">
        {planned.slice(0, most).map(({ key, at, name, channel, said, campaign }) => {
          const Sign = channelIcons[channel];
          return (
            <li key={key}>
              {Sign && <Sign size={15} stroke={1.75} aria-hidden />}
              {campaign ? (
                <Link to="/campaigns/$id" params={{ id: campaign }} className={`${classes.name} cut`}>
                  {name}
                </Link>
              ) : (
                <Link to="/outbox" className={`${classes.name} cut`}>
                  {name}
                </Link>
              )}
              <small>{[format.moment(at), said].filter(Boolean).join(" · ")}</small>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
