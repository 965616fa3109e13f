import { useLingui } from "@lingui/react/macro";
import { NumberInput, Switch, TextInput } from "@mantine/core";
import type { Schemas } from "@/api/client";
import classes from "./settings.module.css";

/** What the form holds of a workspace's quiet hours and its cap on e-mail. */
export interface RestraintValues {
  quiet: boolean;
  from: string;
  to: string;
  cap: number | "";
  hours: number | "";
}

type Settings = Pick<Schemas["Workspace"], "quiet_hours" | "frequency_caps">;

export function restraintOf({ quiet_hours, frequency_caps }: Settings): RestraintValues {
  const hours = quiet_hours?.[0];
  const cap = frequency_caps?.find((c) => c.channel === "email");
  return {
    quiet: hours !== undefined,
    from: hours?.from ?? "21:00",
    to: hours?.to ?? "08:00",
    cap: cap?.count ?? "",
    hours: cap?.hours ?? 24,
  };
}

/** The settings with what the form says; the hours and channels it does not show stay as they are. */
export function withRestraint(settings: Settings, values: RestraintValues): Settings {
  const [first, ...others] = settings.quiet_hours ?? [];
  const caps = (settings.frequency_caps ?? []).filter((c) => c.channel !== "email");
  return {
    quiet_hours: values.quiet ? [{ ...first, from: values.from, to: values.to }, ...others] : others,
    frequency_caps:
      values.cap === "" || values.hours === ""
        ? caps
        : [...caps, { channel: "email" as const, count: values.cap, hours: values.hours }],
  };
}

interface Props {
  values: RestraintValues;
  disabled: boolean;
  onChange: (patch: Partial<RestraintValues>) => void;
}

/** When marketing is held back, and how much of it one person gets. */
export function Restraint({ values, disabled, onChange }: Props) {
  const { t } = useLingui();
  return (
    <>
      <Switch
        label={t`Hold marketing back at night`}
        description={t`No marketing leaves at these hours where the person lives. It leaves when they are over.`}
        disabled={disabled}
        checked={values.quiet}
        onChange={(e) => onChange({ quiet: e.currentTarget.checked })}
      />
      {values.quiet ? (
        <div className={classes.pair}>
          <TextInput
            type="time"
            label={t`Quiet from`}
            disabled={disabled}
            value={values.from}
            onChange={(e) => onChange({ from: e.currentTarget.value })}
          />
          <TextInput
            type="time"
            label={t`To`}
            disabled={disabled}
            value={values.to}
            onChange={(e) => onChange({ to: e.currentTarget.value })}
          />
        </div>
      ) : null}
      <div className={classes.pair}>
        <NumberInput
          label={t`At most so many marketing e-mails`}
          description={t`To one person, over all funnels. Empty: no limit.`}
          placeholder={t`no limit`}
          min={1}
          max={1000}
          allowDecimal={false}
          disabled={disabled}
          value={values.cap}
          onChange={(v) => onChange({ cap: v === "" ? "" : Number(v) })}
        />
        <NumberInput
          label={t`Within hours`}
          min={1}
          max={8784}
          allowDecimal={false}
          disabled={disabled}
          value={values.hours}
          onChange={(v) => onChange({ hours: v === "" ? "" : Number(v) })}
        />
      </div>
    </>
  );
}
