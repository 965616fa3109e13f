import { useLingui } from "@lingui/react/macro";
import { NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core";
import type { Duration } from "@/canvas/types";
import { word } from "@/canvas/words";
import c from "../inspector.module.css";
import type { WidgetProps } from "./types";

export function TextWidget({ value, onChange, ids, spec }: WidgetProps<string>) {
  return (
    <TextInput
      {...ids}
      value={value ?? ""}
      maxLength={spec.max}
      error={ids["aria-invalid"]}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}

export function LongTextWidget({ value, onChange, ids, spec }: WidgetProps<string>) {
  return (
    <Textarea
      {...ids}
      autosize
      minRows={2}
      maxLength={spec.max}
      value={value ?? ""}
      error={ids["aria-invalid"]}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}

export function NumberWidget({ value, onChange, ids, spec }: WidgetProps<number>) {
  return (
    <NumberInput
      {...ids}
      value={value ?? ""}
      error={ids["aria-invalid"]}
      {...(spec.min !== undefined ? { min: spec.min } : {})}
      {...(spec.max !== undefined ? { max: spec.max } : {})}
      onChange={(v) => onChange(v === "" ? undefined : Number(v), true)}
    />
  );
}

export function BoolWidget({ value, onChange, ids, label }: WidgetProps<boolean>) {
  return <Switch {...ids} label={label} checked={value ?? false} onChange={(e) => onChange(e.currentTarget.checked)} />;
}

function useOptions({ spec, owner }: WidgetProps) {
  return (spec.options ?? []).map((o) => ({
    value: o.value,
    label: word(`kind.${owner}.${spec.key}.${o.value}`, o.label),
  }));
}

export function SelectWidget(props: WidgetProps<string>) {
  const { value, onChange, ids, label } = props;
  const data = useOptions(props);
  if (data.length <= 2)
    return (
      <SegmentedControl
        fullWidth
        aria-label={label}
        value={value ?? data[0]?.value ?? ""}
        onChange={(v) => onChange(v)}
        data={data}
      />
    );
  return (
    <Select
      {...ids}
      data={data}
      value={value ?? null}
      error={ids["aria-invalid"]}
      onChange={(v) => onChange(v ?? undefined)}
    />
  );
}

export function MultiWidget(props: WidgetProps<string[]>) {
  const { value, onChange, label, spec } = props;
  const chosen = value ?? [];
  const order = (spec.options ?? []).map((o) => o.value);
  const toggle = (v: string) => {
    const next = chosen.includes(v) ? chosen.filter((x) => x !== v) : [...chosen, v];
    onChange(order.filter((o) => next.includes(o)));
  };
  return (
    <fieldset className={c.days} style={{ border: 0, margin: 0, padding: 0 }} aria-label={label}>
      {useOptions(props).map((o) => (
        <button
          key={o.value}
          type="button"
          className={c.day}
          aria-pressed={chosen.includes(o.value)}
          aria-label={o.label}
          title={o.label}
          onClick={() => toggle(o.value)}
        >
          {o.label.length > 4 ? o.label.slice(0, o.label.length > 9 ? 2 : 3) : o.label}
        </button>
      ))}
    </fieldset>
  );
}

export function useUnits() {
  const { t } = useLingui();
  return [
    { value: "minutes", label: t`minutes` },
    { value: "hours", label: t`hours` },
    { value: "days", label: t`days` },
    { value: "weeks", label: t`weeks` },
  ];
}

export function DurationWidget({ value, onChange, ids, label, spec }: WidgetProps<Duration>) {
  const { t } = useLingui();
  const unit = value?.unit ?? "days";
  const units = useUnits();
  return (
    <div className={c.row}>
      <NumberInput
        {...ids}
        value={value?.amount ?? ""}
        min={0}
        max={10_000}
        clampBehavior="strict"
        allowDecimal={false}
        error={ids["aria-invalid"]}
        placeholder={spec.required ? "" : t`no limit`}
        onChange={(v) =>
          onChange(v === "" ? (spec.required ? { amount: 0, unit } : undefined) : { amount: Number(v), unit }, true)
        }
      />
      <Select
        aria-label={t`${label}: unit`}
        data={units}
        value={unit}
        onChange={(v) => onChange({ amount: value?.amount ?? 1, unit: v as Duration["unit"] })}
      />
    </div>
  );
}

export function TimeWidget({ value, onChange, ids }: WidgetProps<string>) {
  const { t } = useLingui();
  return (
    <TextInput
      {...ids}
      type="time"
      style={{ maxWidth: 140 }}
      value={value ?? ""}
      title={t`Empty: at the hour the person came here`}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}

export function DateTimeWidget({ value, onChange, ids }: WidgetProps<string>) {
  return (
    <TextInput
      {...ids}
      type="datetime-local"
      value={value ?? ""}
      error={ids["aria-invalid"]}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}
