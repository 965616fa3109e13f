import { useLingui } from "@lingui/react/macro";
import { NumberInput, Select } from "@mantine/core";
import { word } from "@/canvas/words";
import c from "../inspector.module.css";
import type { WidgetProps } from "./types";

interface Comparison {
  op: string;
  value?: number;
}

const operators = ["gte", "gt", "lte", "lt", "is"];
const english: Record<string, string> = {
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
  is: "exactly",
};

/** A number to hold another against: at least 100. Without a number there is nothing to compare. */
export function ComparisonWidget({ value, onChange, ids, label }: WidgetProps<Comparison>) {
  const { t } = useLingui();
  const op = value?.op ?? "gte";
  return (
    <div className={c.row}>
      <Select
        aria-label={t`${label}: how to compare`}
        data={operators.map((o) => ({ value: o, label: word(`comparison.${o}`, english[o] ?? o) }))}
        value={op}
        onChange={(next) => value && onChange({ ...value, op: next ?? "gte" })}
      />
      <NumberInput
        {...ids}
        min={0}
        value={value?.value ?? ""}
        placeholder={t`any`}
        error={ids["aria-invalid"]}
        onChange={(v) => onChange(v === "" ? undefined : { op, value: Number(v) }, true)}
      />
    </div>
  );
}
