import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { type Weekday, weekdays } from "./hours";

/** What the days of the week are called, in full and short. */
export function useWeekdays(): (day: Weekday, style?: "long" | "short") => string {
  const { i18n } = useLingui();
  return useMemo(() => {
    // The first of January 2024 was a Monday.
    const names = (weekday: "long" | "short") => {
      const format = new Intl.DateTimeFormat(i18n.locale, { weekday, timeZone: "UTC" });
      return weekdays.map((_, i) => format.format(new Date(Date.UTC(2024, 0, 1 + i))));
    };
    const words = { long: names("long"), short: names("short") };
    return (day, style = "long") => words[style][weekdays.indexOf(day)] ?? day;
  }, [i18n.locale]);
}
