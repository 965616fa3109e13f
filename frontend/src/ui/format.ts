import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import { useZone } from "@/api/session";

/** English with day before month and 24 hours, as the look has it. */
const tags: Record<string, string> = { en: "en-GB", pl: "pl-PL", ru: "ru-RU" };

const narrow = "\u202f";

export interface Format {
  zone: string;
  number: (value: number) => string;
  percent: (share: number) => string;
  /** "12:04" */
  time: (at: string | Date) => string;
  /** "30 Nov", with the year where it is not the present one */
  day: (at: string | Date) => string;
  /** "Mon 30 Nov" */
  weekday: (at: string | Date) => string;
  /** "Mon 30 Nov, 12:04" */
  moment: (at: string | Date) => string;
  /** The same day in the zone has the same key: "2026-11-30" */
  dayKey: (at: string | Date) => string;
  /** "12 minutes ago", only under a day; else the moment */
  ago: (at: string | Date, now?: Date) => string;
}

/** Numbers and times in a language and a zone. Pure, for tests; components use useFormat. */
export function makeFormat(language: string, zone: string): Format {
  const tag = tags[language] ?? "en-GB";
  const make = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, { timeZone: zone, ...options });
  const time = make({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = make({ day: "numeric", month: "short" });
  const dayYear = make({ day: "numeric", month: "short", year: "numeric" });
  const weekday = make({ weekday: "short" });
  const year = make({ year: "numeric" });
  const key = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
  const number = new Intl.NumberFormat(tag);
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" });

  const dayOf = (at: Date) => (year.format(at) === year.format(new Date()) ? day.format(at) : dayYear.format(at));
  const self: Format = {
    zone,
    number: (value) => number.format(value).replaceAll(",", narrow),
    percent: (share) => `${number.format(Math.round(share * 100))}${narrow}%`,
    time: (at) => time.format(new Date(at)),
    day: (at) => dayOf(new Date(at)),
    weekday: (at) => `${weekday.format(new Date(at)).replace(/[.,]$/, "")} ${dayOf(new Date(at))}`,
    moment: (at) => `${self.weekday(at)}, ${self.time(at)}`,
    dayKey: (at) => key.format(new Date(at)),
    ago: (at, now = new Date()) => {
      const minutes = Math.round((new Date(at).getTime() - now.getTime()) / 60_000);
      if (Math.abs(minutes) < 60) return relative.format(minutes, "minute");
      const hours = Math.round(minutes / 60);
      return Math.abs(hours) < 24 ? relative.format(hours, "hour") : self.moment(at);
    },
  };
  return self;
}

/** Numbers and times in the language of the interface and the zone of the workspace. */
export function useFormat(): Format {
  const { i18n } = useLingui();
  const zone = useZone();
  return useMemo(() => makeFormat(i18n.locale, zone), [i18n.locale, zone]);
}
