/** The instant at which a calendar day begins in a zone, also on days that begin at one o'clock. */
export function startOfDay(day: string, zone: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const guess = Date.UTC(year, month - 1, date);
  const near = guess - offset(guess, zone);
  const again = guess - offset(near, zone);
  return new Date(again);
}

/** The calendar day of an instant in a zone, "2026-11-30". */
export function dayIn(at: Date, zone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    at,
  );
}

/** The day some days away. */
export function shiftDay(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
}

/** From and to as instants: whole days, the last one up to now where it is today. */
export function periodOf(from: string, to: string, zone: string, now: Date): { from: string; to: string } {
  const end = Math.min(startOfDay(shiftDay(to, 1), zone).getTime() - 1, now.getTime());
  return { from: startOfDay(from, zone).toISOString(), to: new Date(end).toISOString() };
}

function offset(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - Math.floor(at / 1000) * 1000;
}

export interface Bar {
  from: string;
  to: string;
  entries: number;
  sent: Record<string, number>;
  total: number;
}

const mostBars = 62;

/** Every day from the first to the last on which something happened; some together where they would not fit. */
export function barsOf(days: readonly { date: string; entries: number; sent: Record<string, number> }[]): Bar[] {
  const first = days[0]?.date;
  const last = days.at(-1)?.date;
  if (!first || !last) return [];
  const count = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
  const each = Math.ceil(count / mostBars);
  const bars: Bar[] = [];
  for (let i = 0; i < count; i += each)
    bars.push({
      from: shiftDay(first, i),
      to: shiftDay(first, Math.min(i + each, count) - 1),
      entries: 0,
      sent: {},
      total: 0,
    });
  for (const day of days) {
    const at = Math.floor(Math.round((Date.parse(day.date) - Date.parse(first)) / 86_400_000) / each);
    const bar = bars[at];
    if (!bar) continue;
    bar.entries += day.entries;
    for (const [channel, n] of Object.entries(day.sent ?? {})) {
      bar.sent[channel] = (bar.sent[channel] ?? 0) + n;
      bar.total += n;
    }
  }
  return bars;
}
