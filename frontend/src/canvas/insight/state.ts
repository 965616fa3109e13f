import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

/** Of which time the numbers are: the last day, week or month, or all runs of the live version. */
export const periods = ["24h", "7d", "30d", "version"] as const;
export type Period = (typeof periods)[number];

/** A number of a step that was opened. */
export interface OpenNumber {
  node: string;
  what: "came" | "here" | "went" | "lost" | "sent" | "delivered" | "opened" | "clicked" | "skipped" | "failed";
  port?: string;
}

interface Insight {
  period: Period;
  open?: OpenNumber | undefined;
}

const key = "lejek.period";
const kept = localStorage.getItem(key);

/** What one looks at is one's own: it is no part of the funnel and not undone. */
const insight = createStore<Insight>(() => ({
  period: periods.find((period) => period === kept) ?? "30d",
}));

export function choosePeriod(period: Period): void {
  localStorage.setItem(key, period);
  insight.setState({ period });
}

export function openNumber(open: OpenNumber | undefined): void {
  insight.setState({ open });
}

export function useInsight<T>(selector: (state: Insight) => T): T {
  return useStore(insight, selector);
}
