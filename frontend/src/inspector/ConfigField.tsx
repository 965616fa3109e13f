import { type ComponentType, lazy, Suspense } from "react";
import type { FieldSpec, FieldType, Rule } from "@/canvas/types";
import { word } from "@/canvas/words";
import { Field } from "./Field";
import { ArmsWidget } from "./fields/arms";
import {
  BoolWidget,
  DateTimeWidget,
  DurationWidget,
  MultiWidget,
  NumberWidget,
  SelectWidget,
  TextWidget,
  TimeWidget,
} from "./fields/basic";
import { ComparisonWidget } from "./fields/comparison";
import { EventNameWidget, EventWidget, WhereEditor } from "./fields/event";
import { LinesWidget } from "./fields/lines";
import { MessageWidget } from "./fields/message";
import { OffsetWidget } from "./fields/offset";
import { PairsWidget } from "./fields/pairs";
import { AudienceWidget, RecurrenceWidget, ZoneWidget } from "./fields/recurrence";
import { ReentryWidget } from "./fields/reentry";
import { ReferenceWidget } from "./fields/reference";
import { RuleWidget } from "./fields/rule";
import { TriggersWidget } from "./fields/triggers";
import type { WidgetProps } from "./fields/types";
import { AttributesWidget, VariablesWidget } from "./fields/written";

const MergeWidget = lazy(() => import("@/mail/MergeWidget"));

/** One widget for each type of field of the catalogue; the set is closed. */
const widgets: Record<FieldType, ComponentType<never>> = {
  text: TextWidget,
  merge: MergeWidget as unknown as ComponentType<never>,
  number: NumberWidget,
  bool: BoolWidget,
  select: SelectWidget,
  multi: MultiWidget,
  duration: DurationWidget,
  offset: OffsetWidget,
  time: TimeWidget,
  datetime: DateTimeWidget,
  ref: ReferenceWidget,
  event: EventWidget,
  event_name: EventNameWidget,
  rule: RuleWidget,
  triggers: TriggersWidget,
  arms: ArmsWidget,
  reentry: ReentryWidget,
  message: MessageWidget,
  variables: VariablesWidget,
  attributes: AttributesWidget,
  recurrence: RecurrenceWidget,
  zone: ZoneWidget,
  audience: AudienceWidget,
  lines: LinesWidget,
  pairs: PairsWidget,
  comparison: ComparisonWidget,
};

interface ConfigFieldProps {
  step: string;
  owner: string;
  spec: FieldSpec;
  path?: string;
  value: unknown;
  onChange: (value: unknown, typing?: boolean) => void;
  /** The event a rule of this field is about, where it is about one. */
  event?: string | undefined;
}

/** A field of the catalogue as a form field. */
export function ConfigField({ step, owner, spec, path, value, onChange, event }: ConfigFieldProps) {
  const label = word(`kind.${owner}.${spec.key}.label`, spec.label);
  // The choices of re-entry each say what they do.
  const help = spec.help && spec.type !== "reentry" ? word(`kind.${owner}.${spec.key}.help`, spec.help) : undefined;
  const Widget = widgets[spec.type] as unknown as ComponentType<WidgetProps<unknown>>;
  if (spec.type === "rule" && spec.of === "event")
    return (
      <Field step={step} path={path ?? spec.key}>
        {() => <WhereEditor step={step} event={event} value={value as Rule | undefined} onChange={onChange} />}
      </Field>
    );
  return (
    <Field
      step={step}
      path={path ?? spec.key}
      own={spec.type === "triggers"}
      label={spec.type === "bool" ? undefined : label}
      help={help}
    >
      {(ids) => (
        <Suspense fallback={null}>
          <Widget step={step} spec={spec} owner={owner} value={value} onChange={onChange} ids={ids} label={label} />
        </Suspense>
      )}
    </Field>
  );
}
