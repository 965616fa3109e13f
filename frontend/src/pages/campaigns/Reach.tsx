import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { CampaignDocument, CampaignPreview } from "@/api/campaigns";
import { workspaceQuery } from "@/api/session";
import { useFormat } from "@/ui/format";
import classes from "./campaigns.module.css";

/** With fewer people per variant the difference between two variants is mostly chance. */
const trustworthy = 100;

interface ReachProps {
  document: CampaignDocument;
  preview: CampaignPreview | undefined;
  busy: boolean;
}

/** How many people it is about: in the audience, within reach, and who would get it now. */
export function Reach({ document, preview, busy }: ReachProps) {
  const { t } = useLingui();
  const format = useFormat();
  const { data: workspace } = useQuery(workspaceQuery);
  const nobody = document.audience.include.length === 0;
  const reachable = {
    email: t`have an e-mail address`,
    sms: t`have a phone number`,
    push: t`have a device`,
  };
  const numbers = nobody ? undefined : preview;
  const rows = [
    { key: "match", label: t`are in the audience`, value: numbers?.match },
    { key: "reachable", label: reachable[document.channel], value: numbers?.reachable },
    { key: "sendable", label: t`would be sent it now`, value: numbers?.sendable },
  ];
  const trial = numbers?.trial;
  const most = Math.max(1, numbers?.match ?? 1);
  return (
    <aside
      className={classes.reach}
      aria-live="polite"
      aria-busy={busy}
      aria-label={t`How many people`}
      data-testid="reach"
    >
      <dl>
        {rows.map(({ key, label, value }) => (
          <div key={key} data-key={key}>
            <dd>{value === undefined ? "–" : format.number(value)}</dd>
            <dt>{label}</dt>
            <span className={classes.reachBar} aria-hidden>
              <span style={{ width: `${(100 * (value ?? 0)) / most}%` }} />
            </span>
          </div>
        ))}
      </dl>
      {nobody ? (
        <p className="meta">{t`Choose a segment or a list, and the numbers appear here.`}</p>
      ) : (
        <>
          {numbers && numbers.reachable > numbers.sendable && (
            <p className="meta">
              {t`Who has not agreed, has unsubscribed or whose address bounced receives nothing. Each person is asked about again at the moment of sending.`}
            </p>
          )}
          {trial && trial.least < trustworthy && (
            <p className="meta" data-testid="tiny-test">
              {t`The rarest variant is tried by ${plural(trial.least, { one: "# person", other: "# people" })} only. So few tell chance, not which message is better: test with more people, or send one message.`}
            </p>
          )}
          {workspace?.sending_paused && <p className="meta">{t`All sending is paused now.`}</p>}
          {numbers && !numbers.exact && <p className="meta">{t`The numbers are close, not exact.`}</p>}
        </>
      )}
    </aside>
  );
}
