import type { ReportRow } from "@/api/reports";

export interface Day {
  key: string;
  sent: number;
  opened: number;
  converted: number;
}

/** Every day of a period, those without a message too: a gap must look like one. */
export function eachDay(rows: ReportRow[], first: string, days: number): Day[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const at = new Date(`${first}T12:00:00Z`);
  if (Number.isNaN(at.getTime())) return [];
  return Array.from({ length: days }, () => {
    const key = at.toISOString().slice(0, 10);
    at.setUTCDate(at.getUTCDate() + 1);
    const row = known.get(key);
    return { key, sent: row?.sent ?? 0, opened: row?.opened ?? 0, converted: row?.converted ?? 0 };
  });
}
