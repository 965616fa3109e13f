import type { Format } from "@/ui/format";

/** "1 204 PLN, 88.50 EUR": the sums of several currencies are never added up. */
export function moneyOf(sums: Record<string, number>, format: Format): string {
  return Object.entries(sums)
    .filter(([, amount]) => amount !== 0)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([currency, amount]) => `${format.number(Math.round(amount * 100) / 100)} ${currency}`)
    .join(", ");
}
