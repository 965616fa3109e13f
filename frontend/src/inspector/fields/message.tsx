import { useLingui } from "@lingui/react/macro";
import { Select, TextInput } from "@mantine/core";
import c from "../inspector.module.css";
import { useChoices } from "./reference";
import type { WidgetProps } from "./types";

const any = "any";

/** Whose opens and clicks count: those of any message, or of one step of one funnel. */
export function MessageWidget({ value, onChange, ids, label }: WidgetProps<string>) {
  const { t } = useLingui();
  const funnels = useChoices("funnel");
  const [funnel, step] = value && value !== any ? value.split("/") : ["", ""];
  return (
    <div className={c.group}>
      <Select
        {...ids}
        aria-label={label}
        searchable
        value={funnel ? `funnel:${funnel}` : any}
        data={[{ value: any, label: t`Any message` }, ...funnels]}
        onChange={(v) => onChange(!v || v === any ? any : `${v.replace(/^funnel:/, "")}/${step || "mail-1"}`)}
      />
      {funnel ? (
        <TextInput
          aria-label={t`Step that sends it`}
          placeholder="mail-1"
          value={step ?? ""}
          onChange={(e) => onChange(`${funnel}/${e.currentTarget.value}`, true)}
        />
      ) : null}
    </div>
  );
}
