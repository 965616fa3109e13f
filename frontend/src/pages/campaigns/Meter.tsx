import { useLingui } from "@lingui/react/macro";
import type { CampaignProgress } from "@/api/campaigns";
import { useFormat } from "@/ui/format";
import classes from "./campaigns.module.css";

/** Everybody of the frozen audience as one line: who has it, who does not get it, who waits. */
export function Meter({ progress, tall }: { progress: CampaignProgress; tall?: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { tally, total } = progress;
  const not = tally.skipped + tally.failed + tally.expired;
  const bars = [
    { tone: "sent", people: tally.sent },
    { tone: "unknown", people: tally.unknown },
    { tone: "not", people: not },
    { tone: "moving", people: tally.queued },
  ];
  const settled = tally.sent + tally.unknown + not;
  return (
    <div
      className={classes.meter}
      data-tall={tall || undefined}
      data-moving={progress.state === "sending" || undefined}
      role="progressbar"
      aria-label={t`Sent so far`}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={settled}
      aria-valuetext={t`${format.number(settled)} of ${format.number(total)}`}
    >
      {total > 0 &&
        bars
          .filter((bar) => bar.people > 0)
          .map((bar) => (
            <span key={bar.tone} data-tone={bar.tone} style={{ width: `${(100 * bar.people) / total}%` }} />
          ))}
    </div>
  );
}
