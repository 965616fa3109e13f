import { Textarea } from "@mantine/core";
import type { WidgetProps } from "./types";

/** Merge text of several lines, as it is written: the body of a request, a notice. */
export function LinesWidget({ spec, value, onChange, ids, label }: WidgetProps<string>) {
  return (
    <Textarea
      {...ids}
      error={ids["aria-invalid"] ?? false}
      aria-label={label}
      autosize
      minRows={3}
      maxRows={14}
      spellCheck={spec.key === "text"}
      styles={
        spec.key === "text" ? {} : { input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }
      }
      value={value ?? ""}
      onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
    />
  );
}
