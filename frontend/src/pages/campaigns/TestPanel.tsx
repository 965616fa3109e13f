import { useLingui } from "@lingui/react/macro";
import { NumberInput, Select, Slider, Switch } from "@mantine/core";
import type { CampaignDocument } from "@/api/campaigns";
import { EventNameSelect } from "@/inspector/fields/event";
import { useFormat } from "@/ui/format";
import classes from "./campaigns.module.css";
import type { Draft } from "./useDraft";

type Experiment = NonNullable<CampaignDocument["experiment"]>;
type Goal = NonNullable<CampaignDocument["goal"]>;
type Unit = Experiment["after"]["unit"];

/** What counts as success, and whether most people wait for the variant that does best. */
export function TestPanel({ draft }: { draft: Draft }) {
  const { t } = useLingui();
  const { document } = draft;
  const { experiment, goal } = document;
  const several = document.variants.length > 1;
  const setTest = (next: Experiment | undefined) =>
    draft.change(({ experiment: _, ...rest }) => (next ? { ...rest, experiment: next } : rest));
  const setGoal = (next: Goal | undefined) =>
    draft.change(({ goal: _, ...rest }) => (next ? { ...rest, goal: next } : rest));
  return (
    <div className={classes.test}>
      <Switch
        label={t`Count who reaches a goal afterwards`}
        checked={goal !== undefined}
        onChange={(event) =>
          setGoal(event.currentTarget.checked ? { event: "", within: { amount: 7, unit: "days" } } : undefined)
        }
      />
      {goal && (
        <div className={classes.inline}>
          <div>
            <span className={classes.label}>{t`It is reached when this happens`}</span>
            <EventNameSelect
              aria-label={t`It is reached when this happens`}
              value={goal.event || undefined}
              onChange={(event) => setGoal({ ...goal, event: event ?? "" })}
            />
          </div>
          <NumberInput
            label={t`Within days after the message`}
            w={190}
            min={1}
            max={365}
            value={goal.within.amount}
            onChange={(value) => setGoal({ ...goal, within: { amount: Number(value) || 1, unit: "days" } })}
          />
        </div>
      )}
      {several && (
        <Switch
          label={t`Hold most people back until one variant has won`}
          checked={experiment !== undefined}
          onChange={(event) =>
            setTest(
              event.currentTarget.checked
                ? { share: 20, metric: goal ? "goal" : "clicked", after: { amount: 4, unit: "hours" } }
                : undefined,
            )
          }
        />
      )}
      {several && experiment && <Hold experiment={experiment} goal={goal !== undefined} set={setTest} />}
    </div>
  );
}

function Hold({ experiment, goal, set }: { experiment: Experiment; goal: boolean; set: (next: Experiment) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const share = format.percent(experiment.share / 100);
  return (
    <div className={classes.hold}>
      <div>
        <span className={classes.label} id="campaign-share">
          {t`${share} try the variants first`}
        </span>
        <Slider
          aria-labelledby="campaign-share"
          thumbLabel={t`Share of people who try the variants first`}
          min={5}
          max={95}
          step={5}
          label={null}
          value={experiment.share}
          onChange={(value) => set({ ...experiment, share: value })}
        />
      </div>
      <div className={classes.inline}>
        <Select
          label={t`The winner has the most`}
          allowDeselect={false}
          w={190}
          value={experiment.metric}
          data={[
            { value: "opened", label: t`opens` },
            { value: "clicked", label: t`clicks` },
            { value: "goal", label: t`people who reach the goal`, disabled: !goal },
          ]}
          onChange={(value) => set({ ...experiment, metric: (value ?? "clicked") as Experiment["metric"] })}
        />
        <NumberInput
          label={t`Chosen after`}
          w={100}
          min={1}
          max={1000}
          value={experiment.after.amount}
          onChange={(value) => set({ ...experiment, after: { ...experiment.after, amount: Number(value) || 1 } })}
        />
        <Select
          label={t`Unit`}
          allowDeselect={false}
          w={120}
          value={experiment.after.unit}
          data={[
            { value: "minutes", label: t`minutes` },
            { value: "hours", label: t`hours` },
            { value: "days", label: t`days` },
          ]}
          onChange={(value) => set({ ...experiment, after: { ...experiment.after, unit: (value ?? "hours") as Unit } })}
        />
      </div>
      <p className="meta">{t`All the others then receive the winner. You can also choose it yourself, earlier.`}</p>
    </div>
  );
}
