import type { FieldSpec } from "@/canvas/types";

/** What every widget of a config field gets. `undefined` takes the member out of the config. */
export interface WidgetProps<T = unknown> {
  step: string;
  spec: FieldSpec;
  /** Key of the kind the field belongs to, for its words: "wait" or "trigger.api_event". */
  owner: string;
  value: T | undefined;
  /** A burst key makes quick changes (typing) one entry of the history. */
  onChange: (value: unknown, typing?: boolean) => void;
  ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean };
  label: string;
}
