import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type OutboxGroup = Schemas["OutboxGroup"];
export type OutboxMessage = Schemas["OutboxMessage"];
export type OutboxSelection = Schemas["OutboxSelection"];

const pace = 3000;

export const outboxQuery = queryOptions({
  queryKey: ["outbox"],
  queryFn: () => ask(api.GET("/outbox")),
  select: (answer) => answer.items,
  refetchInterval: pace,
});

/** All of a step or a campaign. */
export const selectionOf = (group: OutboxGroup): OutboxSelection =>
  group.campaign_id
    ? { campaign_id: group.campaign_id }
    : group.funnel_id
      ? { funnel_id: group.funnel_id, node: group.node ?? "" }
      : { ids: [group.message_id] };

export const outboxMessagesQuery = (group: OutboxGroup) =>
  infiniteQueryOptions({
    queryKey: ["outbox", "messages", group.campaign_id ?? group.funnel_id, group.node],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/outbox/messages", {
          params: {
            query: {
              cursor: pageParam,
              limit: 25,
              ...(group.campaign_id ? { campaign: group.campaign_id } : {}),
              ...(group.funnel_id ? { funnel: group.funnel_id, node: group.node ?? "" } : {}),
            },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
    refetchInterval: pace,
  });

export const outboxCreativeQuery = (message: string) =>
  queryOptions({
    queryKey: ["outbox", "creative", message],
    queryFn: () => ask(api.GET("/outbox/creative", { params: { query: { message } } })),
    staleTime: 0,
    gcTime: 0,
  });

export const holdMessages = (body: OutboxSelection) => ask(api.POST("/outbox/hold", { body }));
export const releaseMessages = (body: OutboxSelection) => ask(api.POST("/outbox/release", { body }));
export const dropMessages = (body: OutboxSelection) => ask(api.POST("/outbox/drop", { body }));
export const correctMessages = (selection: OutboxSelection, creative: Schemas["Creative"]) =>
  ask(api.POST("/outbox/correct", { body: { selection, creative } }));
export const setOutboxMinutes = (minutes: number) =>
  ask(api.PATCH("/workspace", { body: { outbox_minutes: minutes } }));
