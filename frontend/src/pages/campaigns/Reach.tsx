import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { CampaignDocument, CampaignPreview } from "@/api/campaigns";
import { useFormat } from "@/ui/format";
import classes from "./campaigns.module.css";
import { useReasonWord } from "./useWords";

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
          {numbers && numbers.reasons.length > 0 && <Others preview={numbers} />}
          {trial && trial.least < trustworthy && (
            <p className="meta" data-testid="tiny-test">
              {t`The rarest variant is tried by ${plural(trial.least, { one: "# person", other: "# people" })} only. So few tell chance, not which message is better: test with more people, or send one message.`}
            </p>
          )}
          {numbers && !numbers.exact && (
            <p className="meta">
              {t`Who is sent it is an estimate: of many people only some are looked at, and who gets which variant may still be open.`}
            </p>
          )}
        </>
      )}
    </aside>
  );
}

/** Why the other people within reach are not sent it now: with those who are, they add up. */
function Others({ preview }: { preview: CampaignPreview }) {
  const { t } = useLingui();
  const format = useFormat();
  const word = useReasonWord();
  const later = preview.reasons.filter((one) => one.state === "queued");
  const never = preview.reasons.filter((one) => one.state !== "queued");
  const sum = (reasons: typeof later) => format.number(reasons.reduce((all, one) => all + one.people, 0));
  const groups = [
    { key: "later", title: t`Get it later: ${sum(later)}`, reasons: later },
    { key: "never", title: t`Do not get it: ${sum(never)}`, reasons: never },
  ];
  return (
    <>
      {groups
        .filter((group) => group.reasons.length > 0)
        .map((group) => (
          <section key={group.key} data-testid={`reach-${group.key}`}>
            <p className="meta">{group.title}</p>
            <ul className={classes.reasons}>
              {group.reasons.map((one) => (
                <li key={`${one.state} ${one.reason}`}>
                  <b>{format.number(one.people)}</b>
                  <span>{word(one.reason)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      <p className="meta">{t`Each person is asked about again at the moment of sending.`}</p>
    </>
  );
}
