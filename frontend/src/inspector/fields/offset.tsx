import { useLingui } from "@lingui/react/macro";
import { NumberInput, Select } from "@mantine/core";
import type { Offset } from "@/canvas/types";
import c from "../inspector.module.css";
import { useUnits } from "./basic";
import type { WidgetProps } from "./types";

/** So much time before or after a date. Empty is on the date itself. */
export function OffsetWidget({ value, onChange, ids, label }: WidgetProps<Offset>) {
  const { t } = useLingui();
  const units = useUnits();
  const now: Offset = value ?? { amount: 1, unit: "days", direction: "before" };
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
        placeholder={t`on the date`}
        onChange={(v) => onChange(v === "" ? undefined : { ...now, amount: Number(v) }, true)}
      />
      <Select
        aria-label={t`${label}: unit`}
        data={units}
        value={now.unit}
        onChange={(v) => onChange({ ...now, unit: v as Offset["unit"] })}
      />
      <Select
        aria-label={t`${label}: before or after`}
        data={[
          { value: "before", label: t`before` },
          { value: "after", label: t`after` },
        ]}
        value={now.direction}
        onChange={(v) => onChange({ ...now, direction: v as Offset["direction"] })}
      />
    </div>
  );
}
