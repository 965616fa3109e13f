import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { estimateQuery, type SendingChannel } from "@/api/sending";
import { useFormat } from "./format";
import { useSpan } from "./useSpan";

interface LeaveTimeProps {
  channel: SendingChannel;
  count: number;
}

/** "This takes 3 days at 500 a day": how long so many messages take to leave. Nothing in the sandbox, which has no limit. */
export function LeaveTime({ channel, count }: LeaveTimeProps) {
  const { t } = useLingui();
  const format = useFormat();
  const span = useSpan();
  const { data } = useQuery({ ...estimateQuery(channel, count), enabled: count > 0 });
  if (!data?.provider || count === 0) return null;
  const { days } = data;
  const perDay = format.number(data.per_day ?? 0);
  const time =
    days < 2
      ? t`This takes about ${span(data.seconds)} with ${data.provider}.`
      : data.warming
        ? plural(days, {
            one: "This takes # day: the account warms up and sends little at first.",
            other: "This takes # days: the account warms up and sends little at first.",
          })
        : data.per_day
          ? plural(days, {
              one: `This takes # day at ${perDay} a day.`,
              other: `This takes # days at ${perDay} a day.`,
            })
          : plural(days, { one: "This takes # day.", other: "This takes # days." });
  return (
    <span data-testid="leave-time">
      {time}
      {data.waiting > 0 && ` ${t`Messages that leave before them: ${format.number(data.waiting)}.`}`}
    </span>
  );
}
