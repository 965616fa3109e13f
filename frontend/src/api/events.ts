import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type LoggedEvent = Schemas["Event"];
export type EventOutcome = Schemas["EventOutcome"];
export type FunnelRef = Schemas["FunnelRef"];

export const eventsQuery = (filter: { name?: string; contact?: string }) =>
  infiniteQueryOptions({
    queryKey: ["events", filter],
    queryFn: ({ pageParam, signal }) =>
      ask(api.GET("/events", { params: { query: { ...filter, cursor: pageParam, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

export const eventNamesQuery = queryOptions({
  queryKey: ["event-names"],
  queryFn: () => ask(api.GET("/event-names")),
  select: (answer) => answer.items,
});

export const sendEvent = (body: Schemas["EventInput"]) => ask(api.POST("/events", { body }));
