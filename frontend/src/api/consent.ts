import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Suppression = Schemas["Suppression"];
export type SuppressionReason = Schemas["SuppressionReason"];
export type ReportSource = Schemas["ReportSource"];
export type ReportSourceKind = Schemas["ReportSourceKind"];
export type Mailbox = Schemas["Mailbox"];
export type TrackingDomain = Schemas["TrackingDomain"];
export type Webhook = Schemas["Webhook"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookEvent = Schemas["WebhookEvent"];

export interface SuppressionFilter {
  q?: string;
  reason?: SuppressionReason;
}

export const suppressionsQuery = (filter: SuppressionFilter) =>
  infiniteQueryOptions({
    queryKey: ["suppressions", filter],
    queryFn: ({ pageParam }) =>
      ask(api.GET("/suppressions", { params: { query: { ...filter, cursor: pageParam, limit: 50 } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
    staleTime: 0,
    retry: false,
  });

export const consentSettingsQuery = queryOptions({
  queryKey: ["consent-settings"],
  queryFn: () => ask(api.GET("/consent-settings")),
});

export const consentRecordsQuery = (id: string) =>
  queryOptions({
    queryKey: ["contact", id, "consent-records"],
    queryFn: () => ask(api.GET("/contacts/{id}/consent-records", { params: { path: { id } } })),
    select: (answer) => answer.items,
  });

export const reportSourcesQuery = queryOptions({
  queryKey: ["report-sources"],
  queryFn: () => ask(api.GET("/report-sources")),
  select: (answer) => answer.items,
});

export const mailboxQuery = queryOptions({ queryKey: ["mailbox"], queryFn: () => ask(api.GET("/mailbox")) });

export const trackingDomainQuery = queryOptions({
  queryKey: ["tracking-domain"],
  queryFn: () => ask(api.GET("/tracking-domain")),
});

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: () => ask(api.GET("/webhooks")),
  select: (answer) => answer.items,
});

export const deliveriesQuery = (id: string, status?: "dead") =>
  infiniteQueryOptions({
    queryKey: ["webhooks", id, "deliveries", status ?? ""],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/webhooks/{id}/deliveries", {
          params: { path: { id }, query: { cursor: pageParam, limit: 30, ...(status ? { status } : {}) } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
    staleTime: 0,
  });

/** Sends a CSV file of addresses to refuse. */
export const importSuppressions = (csv: string) =>
  ask(
    api.POST("/suppressions/import", {
      body: csv,
      bodySerializer: (body) => body as unknown as string,
      headers: { "Content-Type": "text/csv" },
    }),
  );
