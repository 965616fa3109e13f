import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Provider = Schemas["Provider"];
export type ProviderKind = Schemas["ProviderKind"];
export type ProviderList = Schemas["ProviderList"];
export type ProviderInput = Schemas["ProviderInput"];
export type ProviderRole = Schemas["ProviderRole"];
export type Domain = Schemas["Domain"];
export type DomainCheck = Schemas["DomainCheck"];
export type SendingChannel = "email" | "sms" | "whatsapp" | "push" | "letter";

export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: () => ask(api.GET("/providers")),
});

export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => ask(api.GET("/domains")),
  select: (answer) => answer.items,
});

/** How long so many messages of a channel take to leave. */
export const estimateQuery = (channel: SendingChannel, count: number) =>
  queryOptions({
    queryKey: ["sending-estimate", channel, count],
    queryFn: () => ask(api.GET("/sending/estimate", { params: { query: { channel, count } } })),
    staleTime: 0,
  });

/** A saved account as it would be entered again: what a change of one thing has to repeat. Its keys stay where they are. */
export const entered = (p: Provider): ProviderInput => ({
  name: p.name,
  role: p.role,
  config: p.config,
  preset: p.preset,
  per_second: p.per_second,
  ...(p.per_hour ? { per_hour: p.per_hour } : {}),
  ...(p.per_day ? { per_day: p.per_day } : {}),
  warm_up: p.warm_up,
});
