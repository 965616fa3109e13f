import { useLingui } from "@lingui/react/macro";
import { NumberInput, Select, TagsInput, TextInput } from "@mantine/core";
import type { Duration } from "@/canvas/types";
import { useUnits } from "./basic";

interface ValueProps {
  /** none, one, list, range or duration, as the operator says. */
  kind: string;
  types: string[];
  value: unknown;
  onChange: (value: unknown) => void;
}

/** What a field is compared with. Where the type is open, digits mean a number. */
export function RuleValue({ kind, types, value, onChange }: ValueProps) {
  const { t } = useLingui();
  const only = types.length === 1 ? types[0] : undefined;
  if (kind === "none") return null;
  if (kind === "list") {
    const list = Array.isArray(value) ? value.map(String) : [];
    return (
      <TagsInput
        aria-label={t`Values`}
        placeholder={list.length === 0 ? t`Type and press Enter` : ""}
        value={list}
        onChange={(v) => onChange(only === "number" ? v.map(Number) : v)}
        style={{ flex: "1 1 100%" }}
      />
    );
  }
  if (kind === "range") {
    const [a, b] = Array.isArray(value) ? (value as unknown[]) : [];
    return (
      <>
        <One only={only} value={a} onChange={(v) => onChange([v, b])} label={t`From`} />
        <One only={only} value={b} onChange={(v) => onChange([a, v])} label={t`To`} />
      </>
    );
  }
  if (kind === "duration") return <Length value={value as Duration | undefined} onChange={onChange} />;
  if (only === "boolean")
    return (
      <Select
        aria-label={t`Value`}
        data={[
          { value: "true", label: t`yes` },
          { value: "false", label: t`no` },
        ]}
        value={String(value ?? "true")}
        onChange={(v) => onChange(v === "true")}
      />
    );
  return <One only={only} value={value} onChange={onChange} label={t`Value`} />;
}

function One({
  only,
  value,
  onChange,
  label,
}: {
  only: string | undefined;
  value: unknown;
  onChange: (v: unknown) => void;
  label: string;
}) {
  if (only === "number")
    return (
      <NumberInput
        aria-label={label}
        value={value === undefined || value === "" ? "" : Number(value)}
        onChange={(v) => onChange(v === "" ? "" : Number(v))}
      />
    );
  if (only === "date")
    return (
      <TextInput
        type="date"
        aria-label={label}
        value={String(value ?? "").slice(0, 10)}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
    );
  const read = (text: string) =>
    only === undefined && /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(",", ".")) : text;
  return (
    <TextInput aria-label={label} value={String(value ?? "")} onChange={(e) => onChange(read(e.currentTarget.value))} />
  );
}

export function Length({ value, onChange }: { value: Duration | undefined; onChange: (v: Duration) => void }) {
  const { t } = useLingui();
  const units = useUnits();
  const unit = value?.unit ?? "days";
  return (
    <>
      <NumberInput
        aria-label={t`How long`}
        min={1}
        value={value?.amount ?? ""}
        onChange={(v) => onChange({ amount: Number(v) || 1, unit })}
      />
      <Select
        aria-label={t`Unit`}
        data={units}
        value={unit}
        onChange={(v) => onChange({ amount: value?.amount ?? 30, unit: v as Duration["unit"] })}
      />
    </>
  );
}
