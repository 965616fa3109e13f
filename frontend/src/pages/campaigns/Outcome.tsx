import { useLingui } from "@lingui/react/macro";
import type { CampaignProgress } from "@/api/campaigns";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import classes from "./campaigns.module.css";
import { useReasonWord } from "./useWords";

/** What it brought: of those it reached, who opened, clicked, reached the goal; and why others got nothing. */
export function Outcome({ progress, reached }: { progress: CampaignProgress; reached: number | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const { tally } = progress;
  const figures = [
    { key: "sent", label: t`Sent`, people: tally.sent, of: 0 },
    { key: "delivered", label: t`Delivered`, people: tally.delivered, of: tally.sent },
    { key: "opened", label: t`Opened`, people: tally.opened, of: tally.delivered },
    { key: "clicked", label: t`Clicked`, people: tally.clicked, of: tally.delivered },
    ...(reached === undefined
      ? []
      : [{ key: "reached", label: t`Reached the goal`, people: reached, of: tally.delivered }]),
    { key: "bounced", label: t`Bounced`, people: tally.bounced, of: tally.sent + tally.bounced, bad: true },
    { key: "unsubscribed", label: t`Unsubscribed`, people: tally.unsubscribed, of: tally.delivered, bad: true },
  ];
  return (
    <>
      <dl className={classes.figures} data-testid="outcome">
        {figures.map((one) => (
          <div key={one.key} data-bad={("bad" in one && one.people > 0) || undefined} data-testid={`figure-${one.key}`}>
            <dt>{one.label}</dt>
            <dd>
              {format.number(one.people)}
              {one.of > 0 && <span>{format.percent(one.people / one.of)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {progress.reasons.length > 0 && <Reasons progress={progress} />}
    </>
  );
}

function Reasons({ progress }: { progress: CampaignProgress }) {
  const { t } = useLingui();
  const format = useFormat();
  const word = useReasonWord();
  const states: Record<string, string> = {
    skipped: t`Not sent`,
    failed: t`Failed`,
    expired: t`Too late, not sent`,
    unknown: t`Perhaps sent`,
    held: t`Held`,
    sent: t`Sent`,
  };
  return (
    <Panel title={t`Why some did not receive it`}>
      <ul className={classes.reasons}>
        {progress.reasons.map((one) => (
          <li key={`${one.state} ${one.reason}`}>
            <b>{format.number(one.people)}</b>
            <span>
              {states[one.state] ?? one.state}: {word(one.reason)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
