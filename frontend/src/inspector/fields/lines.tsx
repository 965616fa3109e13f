import { Textarea } from "@mantine/core";
import type { WidgetProps } from "./types";

/** Merge text of several lines, as it is written: the body of a request, a notice. */
export function LinesWidget({ value, onChange, ids, label }: WidgetProps<string>) {
  return (
    <Textarea
      {...ids}
      error={ids["aria-invalid"] ?? false}
      aria-label={label}
      autosize
      minRows={3}
      maxRows={14}
      spellCheck={false}
      value={value ?? ""}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}
