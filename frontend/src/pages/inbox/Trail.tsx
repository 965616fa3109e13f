import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { IconAlertTriangle, IconClock, IconFlag } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { MessageDetail } from "@/api/messages";
import { useEndReason } from "@/pages/contact/endReason";
import { signOf, useEventWord } from "@/ui/eventWords";
import { useFormat } from "@/ui/format";
import classes from "./inbox.module.css";

const sandboxWords = {
  message_sent: msg`Would have left`,
  message_delivered: msg`Delivered`,
  message_opened: msg`Opened`,
  link_clicked: msg`Clicked`,
  message_replied: msg`Replied`,
  message_bounced: msg`Bounced`,
} as const;

const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["runs", id],
    queryFn: () => ask(api.GET("/runs/{id}", { params: { path: { id } } })),
    // The worker moves a run a moment after what was done here.
    refetchInterval: 3_000,
    select: (answer) => answer.run,
  });

/** What became of the message, and where the person stands now. */
export function Trail({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const format = useFormat();
  const eventWord = useEventWord();
  const endReason = useEndReason();
  const { message, events } = detail;
  const { data: run } = useQuery({ ...runQuery(message.run_id ?? ""), enabled: Boolean(message.run_id) });
  const name = message.contact?.name?.split(" ")[0] || message.to;

  const now = () => {
    if (!run) return null;
    const step = run.node_name || run.node;
    switch (run.state) {
      case "active":
        return {
          icon: IconClock,
          family: "wait",
          what: t`${name} is at “${step}” now`,
          why: run.wake_at ? t`until ${format.moment(run.wake_at)}` : "",
        };
      case "paused":
        return { icon: IconClock, family: "plain", what: t`${name} waits at “${step}”`, why: t`the funnel is paused` };
      case "parked":
        return {
          icon: IconAlertTriangle,
          family: "error",
          what: t`${name} is stuck at “${step}”`,
          why: run.error ?? "",
        };
      case "done":
        return {
          icon: IconFlag,
          family: "goal",
          what: t`${name} finished the funnel`,
          why: run.ended_at ? format.moment(run.ended_at) : "",
        };
      case "exited":
        return { icon: IconFlag, family: "plain", what: t`${name} left the funnel`, why: endReason(run.reason) };
    }
  };
  const here = now();
  return (
    <section className={classes.block}>
      <h3>{t`What happened`}</h3>
      <ol className={classes.trail} aria-live="polite">
        {events.map((event, index) => {
          const { icon: Sign, family } = signOf(event.name);
          const word =
            event.name in sandboxWords
              ? t(sandboxWords[event.name as keyof typeof sandboxWords])
              : eventWord(event.name);
          const url = event.detail?.url;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two events of one instant differ by their place only
            <li key={`${event.name} ${event.at} ${index}`}>
              <span className={classes.dot} data-family={family}>
                <Sign size={13} stroke={1.9} aria-hidden />
              </span>
              <div>
                {word}
                <small>
                  <time dateTime={event.at}>
                    {format.ago(event.at).includes(":") ? format.moment(event.at) : format.time(event.at)}
                  </time>
                  {typeof url === "string" && <span className="cut"> {url}</span>}
                </small>
              </div>
            </li>
          );
        })}
        {here && (
          <li>
            <span className={classes.dot} data-family={here.family}>
              <here.icon size={13} stroke={1.9} aria-hidden />
            </span>
            <div>
              {here.what}
              {here.why && <small>{here.why}</small>}
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}
