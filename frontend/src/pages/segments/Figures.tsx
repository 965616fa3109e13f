import { useLingui } from "@lingui/react/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { isProblem } from "@/api/problem";
import { type Numbers, numbersQuery } from "@/api/segments";
import { workspaceQuery } from "@/api/session";
import type { Rule } from "@/canvas/types";
import { useFormat } from "@/ui/format";
import classes from "./segments.module.css";
import { unfinished } from "./unfinished";

/** How many people the rule is about, as it stands while it is being written. */
export function Figures({ rule }: { rule: Rule | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const [asked] = useDebouncedValue(rule, 350);
  const whole = asked && !unfinished(asked) ? asked : undefined;
  const { data, error, isFetching } = useQuery({ ...numbersQuery(whole), placeholderData: keepPreviousData });
  const { data: workspace } = useQuery(workspaceQuery);

  const why = useWhyNot(rule, whole, error);
  const numbers = why ? undefined : data;
  const email = numbers?.channels.find((channel) => channel.channel === "email");
  const shown = (value: number | undefined) => (value === undefined ? "–" : format.number(value));
  const parts = [
    { label: t`match`, value: numbers?.match },
    { label: t`can receive e-mail`, value: email?.reachable },
    { label: t`would be sent an e-mail now`, value: email?.sendable, strong: true },
  ];
  return (
    <div className={classes.figures} aria-live="polite" aria-busy={isFetching || asked !== rule} data-testid="figures">
      <dl className={classes.sums}>
        {parts.map(({ label, value, strong }) => (
          <div key={label} data-strong={strong}>
            <dd>{shown(value)}</dd>
            <dt>{label}</dt>
          </div>
        ))}
      </dl>
      {why ? (
        <p className={classes.hint}>{why}</p>
      ) : (
        numbers && (
          <>
            <Others numbers={numbers} />
            {workspace?.sending_paused && (
              <p className={classes.hint}>{t`Sending is paused, so nobody would be sent anything now.`}</p>
            )}
            {numbers.channels.some((channel) => !channel.exact) && (
              <p
                className={classes.hint}
              >{t`There are too many people to look up each address; the last numbers are close, not exact.`}</p>
            )}
          </>
        )
      )}
    </div>
  );
}

/** Why there are no numbers, if there are none. */
function useWhyNot(rule: Rule | undefined, whole: Rule | undefined, error: unknown): string | undefined {
  const { t } = useLingui();
  if (!rule) return t`Add a condition, and the numbers appear here.`;
  if (!whole) return t`Finish the conditions, and the numbers appear here.`;
  if (!error) return undefined;
  if (isProblem(error) && error.status !== 0) return error.fields[0]?.message ?? error.detail;
  return t`The server does not answer. Check the connection, then try again.`;
}

/** The other channels, a row each. */
function Others({ numbers }: { numbers: Numbers }) {
  const { t } = useLingui();
  const format = useFormat();
  const names: Record<string, string> = {
    sms: t`SMS`,
    whatsapp: t`WhatsApp`,
    push: t`Push`,
    letter: t`Letter`,
  };
  return (
    <table className={classes.others}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{t`Channel`}</span>
          </th>
          <th scope="col">{t`Can receive`}</th>
          <th scope="col">{t`Would be sent now`}</th>
        </tr>
      </thead>
      <tbody>
        {numbers.channels
          .filter(({ channel }) => channel in names)
          .map(({ channel, reachable, sendable }) => (
            <tr key={channel}>
              <th scope="row">{names[channel]}</th>
              <td>{format.number(reachable)}</td>
              <td>{format.number(sendable)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
