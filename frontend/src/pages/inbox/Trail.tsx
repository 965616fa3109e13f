import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { IconAlertTriangle, IconClock, IconFlag } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { MessageDetail } from "@/api/messages";
import { useEndReason } from "@/pages/contact/endReason";
import { signOf } from "@/ui/eventWords";
import { useFormat } from "@/ui/format";
import { useTexts } from "@/ui/useTexts";
import classes from "./inbox.module.css";

/** What became of a message, and the event that tells the same in a timeline. */
const fates = {
  sent: { word: msg`Sent`, event: "message_sent" },
  delivered: { word: msg`Delivered`, event: "message_delivered" },
  opened: { word: msg`Opened`, event: "message_opened" },
  clicked: { word: msg`Clicked a link`, event: "link_clicked" },
  replied: { word: msg`Replied`, event: "message_replied" },
  bounced: { word: msg`Bounced`, event: "message_bounced" },
  unsubscribed: { word: msg`Unsubscribed`, event: "unsubscribed" },
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
  const texts = useTexts();
  const endReason = useEndReason();
  const { message, events } = detail;
  const { data: run } = useQuery({ ...runQuery(message.run_id ?? ""), enabled: Boolean(message.run_id) });
  const name = message.contact?.name?.split(" ")[0] || message.to;

  const now = () => {
    if (!run) return null;
    const step = texts(run.node_title);
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
  const sandbox = message.provider !== "smtp";
  const sameDay = (at: string) => format.dayKey(at) === format.dayKey(message.sent_at ?? message.created_at);
  return (
    <section className={classes.block}>
      <h3>{t`What happened`}</h3>
      <ol className={classes.trail} aria-live="polite">
        {events.map((fate) => {
          const { word, event } = fates[fate.name];
          const { icon: Sign, family } = signOf(event);
          return (
            <li key={fate.name}>
              <span className={classes.dot} data-family={family}>
                <Sign size={13} stroke={1.9} aria-hidden />
              </span>
              <div>
                {fate.name === "sent" && sandbox ? t`Would have left` : t(word)}
                <small>
                  <time dateTime={fate.at}>{sameDay(fate.at) ? format.time(fate.at) : format.moment(fate.at)}</time>
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
