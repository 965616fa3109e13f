import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Switch, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./bookings.module.css";
import { nextOpening, type Openings, type Weekday, weekdays } from "./hours";
import { useWeekdays } from "./useWeekdays";

interface WeekProps {
  hours: Record<Weekday, Openings>;
  /** By path, such as `hours.mon.0`. */
  errors: Record<string, ReactNode>;
  onChange: (hours: Record<Weekday, Openings>) => void;
}

/** When something is open, day by day; a day may have breaks. */
export function WeekEditor({ hours, errors, onChange }: WeekProps) {
  const { t } = useLingui();
  const weekday = useWeekdays();
  const set = (day: Weekday, openings: Openings) => onChange({ ...hours, [day]: openings });
  return (
    <fieldset className={classes.week}>
      <legend>{t`Opening hours`}</legend>
      {weekdays.map((day) => {
        const name = weekday(day);
        const openings = hours[day];
        return (
          <div className={classes.weekday} key={day}>
            <Switch
              label={name}
              checked={openings.length > 0}
              onChange={(event) => set(day, event.currentTarget.checked ? [nextOpening([])] : [])}
            />
            <div className={classes.openings}>
              {openings.length === 0 && <span className={classes.shut}>{t`Closed`}</span>}
              {openings.map((opening, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an opening has no other identity
                <div key={n}>
                  <div className={classes.opening}>
                    <Clock
                      label={t`${name}: opens`}
                      value={opening.from}
                      onChange={(from) => set(day, openings.with(n, { ...opening, from }))}
                    />
                    <span aria-hidden>–</span>
                    <Clock
                      label={t`${name}: closes`}
                      value={opening.to}
                      end
                      onChange={(to) => set(day, openings.with(n, { ...opening, to }))}
                    />
                    {n === openings.length - 1 && openings.length < 10 ? (
                      <ActionIcon
                        aria-label={t`${name}: more hours`}
                        onClick={() => set(day, [...openings, nextOpening(openings)])}
                      >
                        <IconPlus size={14} stroke={2} />
                      </ActionIcon>
                    ) : null}
                    {openings.length > 1 && (
                      <ActionIcon
                        aria-label={t`${name}: remove these hours`}
                        onClick={() => set(day, openings.toSpliced(n, 1))}
                      >
                        <IconX size={14} stroke={1.75} />
                      </ActionIcon>
                    )}
                  </div>
                  {errors[`hours.${day}.${n}`] && (
                    <p className={classes.wrong} role="alert">
                      {errors[`hours.${day}.${n}`]}
                    </p>
                  )}
                </div>
              ))}
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

interface ClockProps {
  label: string;
  value: string;
  /** Midnight at an end is the end of the day. */
  end?: boolean;
  onChange: (value: string) => void;
}

function Clock({ label, value, end, onChange }: ClockProps) {
  return (
    <TextInput
      type="time"
      className={classes.clock}
      aria-label={label}
      value={value === "24:00" ? "00:00" : value}
      onChange={(event) => {
        const next = event.currentTarget.value;
        onChange(end && next === "00:00" ? "24:00" : next);
      }}
    />
  );
}
