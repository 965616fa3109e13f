import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Report = Schemas["Report"];
export type ReportRow = Schemas["ReportRow"];
export type ReportBy = Schemas["ReportBy"];
export type Passers = Schemas["PasserPage"];
export type PathStep = Schemas["PathStep"];

/** What a report is of: so many days back, perhaps of one funnel. */
export interface ReportOf {
  days: number;
  funnel?: string;
}

export type ReportNumber =
  | "sent"
  | "delivered"
  | "undelivered"
  | "opened"
  | "clicked"
  | "bounced"
  | "complained"
  | "unsubscribed"
  | "converted"
  | "recovered";

export const reportQuery = (by: ReportBy, of: ReportOf) =>
  queryOptions({
    queryKey: ["reports", by, of],
    queryFn: () => ask(api.GET("/reports", { params: { query: { by, ...of } } })),
  });

export const reportPeople = (by: ReportBy, of: ReportOf, what: ReportNumber, key?: string, cursor?: string) =>
  ask(
    api.GET("/reports/people", {
      params: { query: { by, ...of, what, ...(key === undefined ? {} : { key }), ...(cursor ? { cursor } : {}) } },
    }),
  );

export const pathQuery = (events: string[], days: number) =>
  queryOptions({
    queryKey: ["reports", "path", events, days],
    queryFn: () => ask(api.POST("/reports/paths", { body: { events, days } })),
    enabled: events.length >= 2,
    select: (answer) => answer.steps,
  });

export const pathPeople = (events: string[], days: number, step: number, dropped: boolean, cursor?: string) =>
  ask(api.POST("/reports/paths/people", { body: { events, days, step, dropped, ...(cursor ? { cursor } : {}) } }));
