import { useLingui } from "@lingui/react/macro";
import { NumberInput, Select, TextInput } from "@mantine/core";
import { aggregate, operatorLabel } from "@/canvas/sentences";
import type { EventRule } from "@/canvas/types";
import { EventNameSelect, useEventNames, WhereEditor } from "./event";
import { Polarity } from "./ruleLeaf";
import { Length } from "./ruleValue";
import { useRuleWorld } from "./ruleWorld";

interface Props {
  step: string;
  value: EventRule;
  not: boolean;
  onChange: (value: EventRule, not: boolean, typing?: boolean) => void;
}

const numeric = ["gte", "gt", "lte", "lt", "is"];

/** "did [purchase] [at least] [3] times [within the last] [30] [days]". */
export function RuleEvent({ step, value, not, onChange }: Props) {
  const { t } = useLingui();
  const { catalogue } = useRuleWorld();
  const { properties } = useEventNames();
  const set = (patch: Partial<EventRule>, typing?: boolean) => onChange({ ...value, ...patch }, not, typing);
  const agg = value.agg ?? "count";
  const count = agg === "count";
  const moment = agg === "first" || agg === "last";
  const known = properties(value.name);
  return (
    <>
      <Polarity yes={t`they did`} no={t`they did not do`} not={not} onChange={(n) => onChange(value, n)} />
      <EventNameSelect
        aria-label={t`Event`}
        value={value.name || undefined}
        onChange={(name) => set({ name: name ?? "" })}
      />
      <Select
        aria-label={t`What is counted`}
        data={["count", "sum", "avg", "min", "max", "first", "last"].map((a) => ({ value: a, label: aggregate(a) }))}
        value={agg}
        onChange={(a) => {
          const { property, ...rest } = value;
          const number = a !== "count" && a !== "first" && a !== "last";
          const time = a === "first" || a === "last";
          onChange(
            {
              ...rest,
              agg: a ?? "count",
              ...(number ? { property: property ?? known[0] ?? "" } : {}),
              op: time ? "after" : "gte",
              value: time ? "" : 1,
            },
            not,
          );
        }}
      />
      {!count && !moment && (
        <TextInput
          aria-label={t`Property`}
          placeholder={t`amount`}
          list={`properties-${step}`}
          value={value.property ?? ""}
          onChange={(e) => set({ property: e.currentTarget.value }, true)}
        />
      )}
      <datalist id={`properties-${step}`}>
        {known.map((p) => (
          <option key={p} value={p} />
        ))}
      </datalist>
      <Select
        aria-label={t`Comparison`}
        data={(moment ? ["after", "before"] : numeric).map((o) => ({ value: o, label: operatorLabel(catalogue, o) }))}
        value={value.op ?? "gte"}
        onChange={(op) => set({ op: op ?? "gte" })}
      />
      {moment ? (
        <TextInput
          type="date"
          aria-label={t`Date`}
          value={String(value.value ?? "").slice(0, 10)}
          onChange={(e) => set({ value: e.currentTarget.value }, true)}
        />
      ) : (
        <NumberInput
          aria-label={count ? t`How many times` : t`Value`}
          min={count ? 0 : undefined}
          value={value.value === undefined || value.value === "" ? "" : Number(value.value)}
          onChange={(v) => set({ value: Number(v) }, true)}
        />
      )}
      <Select
        aria-label={t`When`}
        data={[
          { value: "ever", label: t`ever` },
          { value: "within", label: t`within the last` },
        ]}
        value={value.within ? "within" : "ever"}
        onChange={(v) => {
          const { within, ...rest } = value;
          onChange(v === "within" ? { ...rest, within: within ?? { amount: 30, unit: "days" } } : rest, not);
        }}
      />
      {value.within && <Length value={value.within} onChange={(within) => set({ within }, true)} />}
      {value.name && (
        <div style={{ flex: "1 1 100%" }}>
          <WhereEditor
            step={step}
            event={value.name}
            value={value.where}
            onChange={(where) => {
              const { where: _, ...rest } = value;
              onChange(where ? { ...rest, where } : rest, not);
            }}
          />
        </div>
      )}
    </>
  );
}
