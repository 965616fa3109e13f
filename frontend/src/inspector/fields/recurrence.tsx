import { useLingui } from "@lingui/react/macro";
import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { segmentsQuery } from "@/api/segments";
import { humanise } from "@/canvas/sentences";
import { zones } from "@/ui/zones";
import c from "../inspector.module.css";
import { useChoices } from "./reference";
import type { WidgetProps } from "./types";

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

interface Times {
  freq: "DAILY" | "WEEKLY" | "MONTHLY";
  days: string[];
  monthDay: string;
  at: string;
}

/** What the form can show of an RRULE; null is one that only its text can. */
export function readTimes(text: string | undefined): Times | null {
  const parts = Object.fromEntries(
    (text ?? "")
      .replace(/^RRULE:/, "")
      .split(";")
      .filter(Boolean)
      .map((p) => p.split("=") as [string, string]),
  );
  const { FREQ, BYDAY, BYMONTHDAY, BYHOUR = "0", BYMINUTE = "0", ...rest } = parts as Record<string, string>;
  const plain = /^\d{1,2}$/.test(BYHOUR) && /^\d{1,2}$/.test(BYMINUTE) && Object.keys(rest).length === 0;
  if (!plain || (FREQ !== "DAILY" && FREQ !== "WEEKLY" && FREQ !== "MONTHLY")) return null;
  const days = BYDAY?.split(",") ?? [];
  if (days.some((d) => !weekdays.includes(d as (typeof weekdays)[number])) || days.length > 0 !== (FREQ === "WEEKLY"))
    return null;
  if ((BYMONTHDAY !== undefined) !== (FREQ === "MONTHLY") || (BYMONTHDAY && !/^(-1|\d{1,2})$/.test(BYMONTHDAY)))
    return null;
  return {
    freq: FREQ,
    days,
    monthDay: BYMONTHDAY ?? "1",
    at: `${BYHOUR.padStart(2, "0")}:${BYMINUTE.padStart(2, "0")}`,
  };
}

export function writeTimes({ freq, days, monthDay, at }: Times): string {
  const [hour = "9", minute = "0"] = at.split(":");
  const which =
    freq === "WEEKLY" ? `;BYDAY=${days.join(",") || "MO"}` : freq === "MONTHLY" ? `;BYMONTHDAY=${monthDay}` : "";
  return `FREQ=${freq}${which};BYHOUR=${Number(hour)};BYMINUTE=${Number(minute)}`;
}

/** A recurring time: every day, on weekdays, on a day of the month. Anything rarer is written as an RRULE. */
export function RecurrenceWidget({ value, onChange, ids, label }: WidgetProps<string>) {
  const { t, i18n } = useLingui();
  const times = readTimes(value);
  const dayName = (day: string) =>
    new Intl.DateTimeFormat(i18n.locale, { weekday: "short" }).format(
      new Date(2024, 0, 1 + weekdays.indexOf(day as "MO")),
    );
  const put = (change: Partial<Times>) =>
    onChange(writeTimes({ ...(times ?? { freq: "WEEKLY", days: ["MO"], monthDay: "1", at: "09:00" }), ...change }));
  return (
    <div style={{ display: "grid", gap: 8 }}>
      <div className={c.row}>
        <Select
          {...ids}
          allowDeselect={false}
          data={[
            { value: "DAILY", label: t`Every day` },
            { value: "WEEKLY", label: t`Every week` },
            { value: "MONTHLY", label: t`Every month` },
            { value: "own", label: t`Own rule` },
          ]}
          value={times ? times.freq : "own"}
          onChange={(v) =>
            v === "own" ? onChange(`${value ?? "FREQ=WEEKLY"};INTERVAL=2`) : put({ freq: v as Times["freq"] })
          }
        />
        {times && (
          <TextInput
            type="time"
            aria-label={t`${label}: time of day`}
            value={times.at}
            onChange={(e) => e.currentTarget.value && put({ at: e.currentTarget.value })}
          />
        )}
      </div>
      {times?.freq === "WEEKLY" && (
        <fieldset className={c.days} style={{ border: 0, margin: 0, padding: 0 }} aria-label={t`${label}: days`}>
          {weekdays.map((day) => (
            <button
              key={day}
              type="button"
              className={c.day}
              aria-pressed={times.days.includes(day)}
              onClick={() => {
                const next = times.days.includes(day) ? times.days.filter((d) => d !== day) : [...times.days, day];
                if (next.length > 0) put({ days: weekdays.filter((d) => next.includes(d)) });
              }}
            >
              {dayName(day)}
            </button>
          ))}
        </fieldset>
      )}
      {times?.freq === "MONTHLY" && (
        <Select
          aria-label={t`${label}: day of the month`}
          allowDeselect={false}
          data={[
            ...Array.from({ length: 28 }, (_, i) => String(i + 1)).map((d) => ({ value: d, label: d })),
            { value: "-1", label: t`the last day` },
          ]}
          value={times.monthDay}
          onChange={(v) => v && put({ monthDay: v })}
        />
      )}
      {!times && (
        <TextInput
          aria-label={t`${label}: rule`}
          placeholder="FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9"
          value={value ?? ""}
          error={ids["aria-invalid"]}
          onChange={(e) => onChange(e.currentTarget.value || undefined, true)}
        />
      )}
    </div>
  );
}

export function ZoneWidget({ value, onChange, ids }: WidgetProps<string>) {
  const { t } = useLingui();
  return (
    <Autocomplete
      {...ids}
      data={zones()}
      limit={50}
      placeholder={t`The workspace’s`}
      value={value ?? ""}
      error={ids["aria-invalid"]}
      onChange={(v) => onChange(v || undefined, true)}
    />
  );
}

/** Everybody of a segment or of a list. */
export function AudienceWidget({ value, onChange, ids }: WidgetProps<string>) {
  const { t } = useLingui();
  const segments = useQuery(segmentsQuery);
  const lists = useChoices("list");
  const groups = [
    { group: t`Segments`, items: (segments.data ?? []).map((s) => ({ value: `segment:${s.slug}`, label: s.name })) },
    { group: t`Lists`, items: lists },
  ];
  const known = groups.some((g) => g.items.some((i) => i.value === value));
  if (value && !known) groups.push({ group: t`Not found`, items: [{ value, label: humanise(value) }] });
  return (
    <Select
      {...ids}
      searchable
      data={groups}
      value={value ?? null}
      error={ids["aria-invalid"]}
      nothingFoundMessage={t`Nothing found`}
      onChange={(v) => onChange(v ?? undefined)}
    />
  );
}
