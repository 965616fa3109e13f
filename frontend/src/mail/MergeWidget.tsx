import type { WidgetProps } from "@/inspector/fields/types";
import { MergeField } from "./MergeField";

/** A config field of merge text. */
export default function MergeWidget({ value, onChange, ids, label }: WidgetProps<string>) {
  return (
    <MergeField
      id={ids.id}
      label={label}
      value={value ?? ""}
      invalid={ids["aria-invalid"] ?? false}
      describedBy={ids["aria-describedby"]}
      onChange={(text) => onChange(text || undefined, true)}
    />
  );
}
