import type { ReportBy } from "@/api/reports";

/** What the address of the page says. Read before the page is loaded, so nothing heavy belongs here. */
export interface ReportsSearch {
  days?: number;
  funnel?: string;
  by?: ReportBy;
}

export const spans = [7, 30, 90, 365] as const;

/** By what the lines of the table can be. Hours have their own picture. */
export const tableBys = ["funnel", "step", "variant", "campaign", "domain", "provider", "channel", "day"] as const;
