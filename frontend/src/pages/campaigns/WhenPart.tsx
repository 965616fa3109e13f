import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { NumberInput, Radio, Select, Switch, TextInput } from "@mantine/core";
import { type CampaignDocument, type CampaignPreview, willBeSent } from "@/api/campaigns";
import { useZone } from "@/api/session";
import { useSpan } from "@/ui/useSpan";
import { zones } from "@/ui/zones";
import classes from "./campaigns.module.css";
import { ProblemLines } from "./ProblemLines";
import { type Problem, partOf } from "./parts";
import type { Draft } from "./useDraft";

type When = CampaignDocument["when"];
type Throttle = NonNullable<CampaignDocument["throttle"]>;

interface WhenPartProps {
  draft: Draft;
  problems: Problem[];
  preview: CampaignPreview | undefined;
}

/** When it leaves, and how fast. */
export function WhenPart({ draft, problems, preview }: WhenPartProps) {
  const { t } = useLingui();
  const home = useZone();
  const { when } = draft.document;
  const set = (patch: Partial<When>) => draft.change((now) => ({ ...now, when: { ...now.when, ...patch } }));
  const choose = (mode: When["mode"]) =>
    set(mode === "now" ? { mode } : { mode, at: when.at || tomorrow(when.zone || home) });
  const choices: { mode: When["mode"]; label: string; text: string }[] = [
    { mode: "now", label: t`As soon as you press Send`, text: t`You press the button on the last page.` },
    { mode: "at", label: t`At one time for everybody`, text: t`All leave at the same moment, wherever people are.` },
    {
      mode: "local",
      label: t`At that time where each person lives`,
      text: t`Nine o'clock is nine o'clock for everyone. Whose zone is not known counts as ${home}.`,
    },
  ];
  return (
    <section className={classes.card} aria-label={t`When`}>
      <h2>{t`When does it leave?`}</h2>
      <Radio.Group
        aria-label={t`When does it leave?`}
        value={when.mode}
        onChange={(value) => choose(value as When["mode"])}
      >
        <div className={classes.choices}>
          {choices.map((one) => (
            <Radio.Card key={one.mode} value={one.mode} className={classes.choice}>
              <Radio.Indicator />
              <span>
                <b>{one.label}</b>
                <span className="meta">{one.text}</span>
              </span>
            </Radio.Card>
          ))}
        </div>
      </Radio.Group>
      {when.mode !== "now" && (
        <div className={classes.inline}>
          <TextInput
            type="datetime-local"
            label={t`Day and time`}
            w={220}
            value={when.at ?? ""}
            onChange={(event) => set({ at: event.currentTarget.value })}
          />
          {when.mode === "at" && (
            <Select
              label={t`Time zone`}
              searchable
              w={240}
              data={zones()}
              value={when.zone || home}
              onChange={(zone) => set({ zone: zone ?? "" })}
            />
          )}
        </div>
      )}
      <Limit draft={draft} preview={preview} />
      <ProblemLines problems={problems.filter((problem) => partOf(problem) === "when")} />
    </section>
  );
}

function Limit({ draft, preview }: { draft: Draft; preview: CampaignPreview | undefined }) {
  const { t } = useLingui();
  const span = useSpan();
  const { throttle } = draft.document;
  const set = (next: Throttle | undefined) =>
    draft.change(({ throttle: _, ...rest }) => (next ? { ...rest, throttle: next } : rest));
  const seconds = { minute: 60, hour: 3600, day: 86_400 };
  const people = willBeSent(preview);
  const takes = throttle && throttle.count > 0 ? span((people / throttle.count) * seconds[throttle.per]) : "";
  return (
    <div className={classes.test}>
      <Switch
        label={t`Let it leave more slowly`}
        description={t`For example so that your phones do not ring all at once. The limits of the sender hold anyway.`}
        checked={throttle !== undefined}
        onChange={(event) => set(event.currentTarget.checked ? { count: 1000, per: "hour" } : undefined)}
      />
      {throttle && (
        <>
          <div className={classes.inline}>
            <NumberInput
              label={t`Not more than`}
              w={130}
              min={1}
              max={10_000_000}
              value={throttle.count}
              onChange={(value) => set({ ...throttle, count: Number(value) || 0 })}
            />
            <Select
              label={t`In each`}
              allowDeselect={false}
              w={130}
              value={throttle.per}
              data={[
                { value: "minute", label: t`minute` },
                { value: "hour", label: t`hour` },
                { value: "day", label: t`day` },
              ]}
              onChange={(per) => set({ ...throttle, per: (per ?? "hour") as Throttle["per"] })}
            />
          </div>
          {people > 0 && takes && (
            <p className="meta">
              {plural(people, {
                one: `For # person that takes about ${takes}.`,
                other: `For # people that takes about ${takes}.`,
              })}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** Tomorrow at nine, as a clock in the zone shows it. */
function tomorrow(zone: string): string {
  const day = new Date(Date.now() + 86_400_000);
  return `${new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(day)}T09:00`;
}
