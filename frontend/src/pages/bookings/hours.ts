import type { Resource } from "@/api/inbound";

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];
export type WeekHours = Resource["hours"];
export type Openings = { from: string; to: string }[];

/** What a week is before anybody says otherwise. */
export function usualWeek(): Record<Weekday, Openings> {
  const working = (day: Weekday) => (day === "sat" || day === "sun" ? [] : [{ from: "09:00", to: "17:00" }]);
  return Object.fromEntries(weekdays.map((day) => [day, working(day)])) as Record<Weekday, Openings>;
}

/** All seven days, closed ones too. */
export const wholeWeek = (hours: WeekHours): Record<Weekday, Openings> =>
  Object.fromEntries(weekdays.map((day) => [day, hours[day] ?? []])) as Record<Weekday, Openings>;

/** The opening one would add to a day: after a break behind the last one. */
export function nextOpening(openings: Openings): { from: string; to: string } {
  const last = openings.at(-1);
  if (!last) return { from: "09:00", to: "17:00" };
  const hour = Math.min(Number(last.to.slice(0, 2)) + 1, 23);
  const clock = (value: number) => `${String(value).padStart(2, "0")}:00`;
  return { from: clock(hour), to: clock(Math.min(hour + 3, 24)) };
}

/** Neighbouring days with the same hours, as one span each; closed days are left out. */
export function spans(hours: WeekHours): { first: Weekday; last: Weekday; openings: Openings }[] {
  const found: { first: Weekday; last: Weekday; openings: Openings }[] = [];
  let open = false;
  for (const day of weekdays) {
    const openings = hours[day] ?? [];
    const before = found.at(-1);
    if (openings.length === 0) open = false;
    else if (open && before && JSON.stringify(before.openings) === JSON.stringify(openings)) before.last = day;
    else {
      found.push({ first: day, last: day, openings });
      open = true;
    }
  }
  return found;
}
