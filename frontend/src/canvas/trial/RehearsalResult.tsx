import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useFormat } from "@/ui/format";
import { useReactionWords } from "@/ui/reactionWords";
import type { Rehearsal } from "../answers";
import { titleOf, viewOfKind } from "../kinds";
import { stepById } from "../ports";
import { select, useEditor, useEditorStore } from "../store";
import { barsOf } from "./period";
import s from "./trial.module.css";
import { portWord, useTrialWords } from "./words";

/** Sums, sends by day and channel, what stayed and why, and the traffic of each step. */
export function RehearsalResult({ result }: { result: Rehearsal }) {
  const { t } = useLingui();
  const format = useFormat();
  const reactionWord = useReactionWords();
  const { skippedWord } = useTrialWords();
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  const { peak } = result;
  const assumed = (result.assumed ?? []).flatMap((id) => {
    const step = stepById(doc.graph, id);
    return step ? [titleOf(step, catalogue, doc)] : [];
  });
  const reasons = (of: Record<string, number> | undefined, say: (reason: string) => string) =>
    Object.entries(of ?? {})
      .sort(([, a], [, b]) => b - a)
      .map(([reason, n]) => `${say(reason)} ${format.number(n)}`)
      .join(" · ");
  const stayed = reasons(result.skipped, skippedWord);
  const held = reasons(result.held, skippedWord);
  const refused = reasons(result.refused, reactionWord);
  return (
    <div className={s.result}>
      <dl className={s.sums}>
        <div>
          <dd>{format.number(result.entries)}</dd>
          <dt>
            <Trans>entries</Trans>
          </dt>
        </div>
        <div>
          <dd>{format.number(result.entered)}</dd>
          <dt>
            <Trans>people came in</Trans>
          </dt>
        </div>
        <div>
          <dd>{format.number(result.sent)}</dd>
          <dt>
            <Trans>messages sent</Trans>
          </dt>
        </div>
        <div data-tone={result.over_cap > 0 ? "warning" : undefined}>
          <dd>{format.number(result.over_cap)}</dd>
          <dt>
            <Trans>people over the cap</Trans>
          </dt>
        </div>
      </dl>
      {result.sent > 0 && <Sends result={result} />}
      <ul className={s.facts}>
        {peak && peak.sent > 0 && (
          <li>
            <b>
              <Trans>Most in one hour</Trans>
            </b>
            <span>
              {plural(peak.sent, { one: "# message", other: "# messages" })}, {format.moment(peak.at)}
            </span>
          </li>
        )}
        {stayed && (
          <li>
            <b>
              <Trans>Would not be sent</Trans>
            </b>
            <span>{stayed}</span>
          </li>
        )}
        {held && (
          <li>
            <b>
              <Trans>Would leave later</Trans>
            </b>
            <span>{held}</span>
          </li>
        )}
        {refused && (
          <li>
            <b>
              <Trans>Not let in</Trans>
            </b>
            <span>{refused}</span>
          </li>
        )}
        {assumed.length > 0 && (
          <li>
            <b>
              <Trans>Assumed</Trans>
            </b>
            <span>{t`${assumed.join(", ")}: by the first way, since nobody can know it`}</span>
          </li>
        )}
      </ul>
      <Traffic result={result} />
    </div>
  );
}

/** Bars by day, each of its channels. */
function Sends({ result }: { result: Rehearsal }) {
  const { t } = useLingui();
  const format = useFormat();
  const { channelWord } = useTrialWords();
  const bars = barsOf(result.days ?? []);
  const most = Math.max(1, ...bars.map((b) => b.total));
  const channels = [...new Set(bars.flatMap((b) => Object.keys(b.sent)))];
  const day = (date: string) => format.day(`${date}T12:00:00Z`);
  const first = bars[0];
  const last = bars.at(-1);
  return (
    <section>
      <h3 className={s.title}>
        <Trans>Sent by day</Trans>
        <span>
          {channels.map((channel) => (
            <i key={channel} data-channel={channel}>
              {channelWord(channel)}
            </i>
          ))}
        </span>
      </h3>
      <div className={s.bars}>
        <small>{format.number(most)}</small>
        <ol aria-label={t`Sent by day`}>
          {bars.map((bar) => {
            const when = bar.from === bar.to ? day(bar.from) : `${day(bar.from)} – ${day(bar.to)}`;
            const what = channels
              .filter((channel) => bar.sent[channel])
              .map((channel) => `${channelWord(channel)} ${format.number(bar.sent[channel] ?? 0)}`);
            const said = `${when}: ${what.join(", ") || "0"}`;
            return (
              <li key={bar.from} title={said} aria-label={said}>
                {channels.map((channel) => (
                  <i
                    key={channel}
                    data-channel={channel}
                    style={{ height: `${((bar.sent[channel] ?? 0) / most) * 100}%` }}
                  />
                ))}
              </li>
            );
          })}
        </ol>
        {first && last && (
          <p>
            <span>{day(first.from)}</span>
            {last !== first && <span>{day(last.to)}</span>}
          </p>
        )}
      </div>
    </section>
  );
}

/** How often each step was left, and by which way. */
function Traffic({ result }: { result: Rehearsal }) {
  const format = useFormat();
  const store = useEditorStore();
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  const steps = (result.steps ?? []).flatMap((of) => {
    const step = stepById(doc.graph, of.node);
    const ports = Object.entries(of.ports ?? {});
    return step ? [{ step, ports, sum: ports.reduce((sum, [, n]) => sum + n, 0) }] : [];
  });
  const most = Math.max(1, ...steps.map((x) => x.sum));
  if (steps.length === 0) return null;
  return (
    <section>
      <h3 className={s.title}>
        <Trans>Traffic by step</Trans>
      </h3>
      <ul className={s.traffic}>
        {steps.map(({ step, ports, sum }) => {
          const Icon = viewOfKind(catalogue, step.kind).icon;
          const show = () => {
            select(store, [step.id]);
            store.getState().camera?.centre(step.id, "if-hidden");
          };
          return (
            <li key={step.id}>
              <button type="button" data-family={catalogue.kind(step.kind).family} onClick={show}>
                <Icon size={14} stroke={1.75} />
                <span>{titleOf(step, catalogue, doc)}</span>
                <b>{format.number(sum)}</b>
                <i style={{ width: `${(sum / most) * 100}%` }} />
                {ports.length > 1 && (
                  <small>
                    {ports.map(([port, n]) => `${portWord(catalogue, step, port)} ${format.number(n)}`).join(" · ")}
                  </small>
                )}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
