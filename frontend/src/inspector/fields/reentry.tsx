import { useLingui } from "@lingui/react/macro";
import { Radio, Stack, TextInput } from "@mantine/core";
import { triggersOf } from "@/canvas/sizes";
import { useEditor } from "@/canvas/store";
import type { Duration } from "@/canvas/types";
import c from "../inspector.module.css";
import { useEventNames } from "./event";
import { Length } from "./ruleValue";
import type { WidgetProps } from "./types";

interface Reentry {
  rule: "once" | "after_exit" | "restart" | "each";
  pause?: Duration;
  key?: string;
}

/** How often one person may go through, in plain words. */
export function ReentryWidget({ value, onChange, label, step }: WidgetProps<Reentry>) {
  const { t } = useLingui();
  const rule = value?.rule ?? "once";
  const entry = useEditor((s) => s.shown.graph.nodes.find((n) => n.id === step));
  const { properties } = useEventNames();
  const known = entry ? triggersOf(entry).flatMap((x) => properties(String(x.name ?? ""))) : [];
  const choices: { value: Reentry["rule"]; label: string; text: string }[] = [
    { value: "once", label: t`Once, ever`, text: t`Whoever has been here never comes again.` },
    {
      value: "after_exit",
      label: t`Again, after they have left`,
      text: t`While they are inside, new events do not start a second run.`,
    },
    {
      value: "restart",
      label: t`Start over each time`,
      text: t`A new event ends the run and begins again, as with a cart that changes.`,
    },
    {
      value: "each",
      label: t`Once for each order, cart, booking…`,
      text: t`Several runs side by side, one for each value of a property.`,
    },
  ];
  const choose = (v: string) => {
    const next: Reentry = { rule: v as Reentry["rule"] };
    if (next.rule === "each") next.key = value?.key ?? known[0] ?? "";
    onChange(next);
  };
  return (
    <Radio.Group value={rule} onChange={choose} aria-label={label}>
      <Stack gap={10}>
        {choices.map((x) => (
          <div key={x.value}>
            <Radio value={x.value} label={x.label} description={x.text} />
            {x.value === rule && rule === "after_exit" && (
              <div className={c.row} style={{ margin: "8px 0 0 28px" }}>
                {value?.pause ? (
                  <Length value={value.pause} onChange={(pause) => onChange({ rule, pause }, true)} />
                ) : (
                  <button
                    type="button"
                    className={c.day}
                    onClick={() => onChange({ rule, pause: { amount: 30, unit: "days" } })}
                  >
                    {t`Add a pause in between`}
                  </button>
                )}
              </div>
            )}
            {x.value === rule && rule === "each" && (
              <div style={{ margin: "8px 0 0 28px" }}>
                <TextInput
                  aria-label={t`Property that tells them apart`}
                  placeholder="cart_id"
                  list={`keys-${step}`}
                  value={value?.key ?? ""}
                  onChange={(e) => onChange({ rule, key: e.currentTarget.value }, true)}
                />
                <datalist id={`keys-${step}`}>
                  {known.map((p) => (
                    <option key={p} value={p} />
                  ))}
                </datalist>
              </div>
            )}
          </div>
        ))}
      </Stack>
    </Radio.Group>
  );
}
