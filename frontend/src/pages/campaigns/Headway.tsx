import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Campaign, CampaignDocument, CampaignProgress } from "@/api/campaigns";
import { useFormat } from "@/ui/format";
import { useSpan } from "@/ui/useSpan";
import classes from "./campaigns.module.css";
import { Meter } from "./Meter";

interface HeadwayProps {
  campaign: Campaign;
  progress: CampaignProgress;
  document: CampaignDocument;
}

/** How far it is: the share in big, the line, the pace and what is still to come. */
export function Headway({ campaign, progress, document }: HeadwayProps) {
  const { t } = useLingui();
  const format = useFormat();
  const sentence = useSentence(campaign, progress, document);
  const { tally, total } = progress;
  const settled = tally.sent + tally.unknown + tally.skipped + tally.failed + tally.expired;
  const waiting = tally.waiting + tally.queued + tally.held;
  const legend = [
    { tone: "sent", label: t`sent`, people: tally.sent },
    { tone: "unknown", label: t`perhaps sent`, people: tally.unknown },
    { tone: "not", label: t`not sent to`, people: tally.skipped + tally.failed + tally.expired },
    { tone: "moving", label: t`leaving`, people: tally.queued },
    { tone: "waiting", label: t`waiting`, people: waiting - tally.queued },
  ].filter((one) => one.people > 0 || one.tone === "sent");
  return (
    <section className={classes.headway} aria-label={t`How far it is`} data-testid="headway">
      <div className={classes.headTop}>
        <strong className={classes.share}>{total > 0 ? format.percent(settled / total) : "–"}</strong>
        <p aria-live="polite">{sentence}</p>
      </div>
      <Meter progress={progress} tall />
      {total > 0 && (
        <ul className={classes.legend}>
          {legend.map((one) => (
            <li key={one.tone} data-tone={one.tone}>
              <b>{format.number(one.people)}</b> {one.label}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What it is doing, in one sentence. */
function useSentence(campaign: Campaign, progress: CampaignProgress, document: CampaignDocument): string {
  const { t } = useLingui();
  const format = useFormat();
  const span = useSpan();
  const { tally, total } = progress;
  const all = format.number(total);
  const waiting = tally.waiting + tally.queued + tally.held;
  const left = format.number(waiting);
  switch (campaign.state) {
    case "draft":
      return t`It has not been started.`;
    case "scheduled": {
      if (!campaign.start_at) return t`It is scheduled.`;
      const start = format.moment(campaign.start_at);
      return document.when.mode === "local"
        ? t`It starts on ${start}, where the day begins first, and then reaches everybody at that time where they live.`
        : t`It starts on ${start}. The list of people is fixed then.`;
    }
    case "freezing":
      return t`The list of people is being written down.`;
    case "paused":
      return t`Paused: nothing leaves. ${left} of ${all} people still wait.`;
    case "cancelled":
      return t`Cancelled: ${left} of ${all} people did not receive it.`;
    case "done": {
      const at = campaign.finished_at && format.moment(campaign.finished_at);
      return at
        ? plural(total, {
            one: `# person was looked after by ${at}.`,
            other: `All # people were looked after by ${at}.`,
          })
        : plural(total, { one: "# person was looked after.", other: "All # people were looked after." });
    }
    case "sending": {
      if (progress.decide_at && !progress.winner && tally.queued === 0 && progress.next_at) {
        const chosen = format.moment(progress.decide_at);
        return plural(waiting, {
          one: `# person waits for the winner, which is chosen on ${chosen}.`,
          other: `# people wait for the winner, which is chosen on ${chosen}.`,
        });
      }
      if (progress.next_at) return t`The next ones leave on ${format.moment(progress.next_at)}.`;
      const pace = progress.per_second >= 1 ? Math.round(progress.per_second) : Math.round(progress.per_second * 60);
      const speed = progress.per_second >= 1 ? t`${format.number(pace)} a second` : t`${format.number(pace)} a minute`;
      return progress.seconds_left === undefined
        ? plural(total, {
            one: `# person receives it, ${left} still waiting.`,
            other: `# people receive it, ${left} still wait.`,
          })
        : t`${speed}, about ${span(progress.seconds_left)} left.`;
    }
  }
}
