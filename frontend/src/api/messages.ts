import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Message = Schemas["Message"];
export type MessageDetail = Schemas["MessageDetail"];
export type MessageState = Schemas["MessageState"];
export type Act = Schemas["ActInput"]["act"];

/** In the order in which a message goes through them. Addresses of pages are read with it, so it comes alone. */
export const messageStates: readonly MessageState[] = [
  "queued",
  "held",
  "sending",
  "sent",
  "delivered",
  "bounced",
  "failed",
  "skipped",
  "expired",
  "unknown",
];

export interface MessageFilter {
  to?: string;
  funnel?: string;
  contact?: string;
  state?: MessageState;
  channel?: string;
}

export const messagesQuery = (filter: MessageFilter) =>
  infiniteQueryOptions({
    queryKey: ["messages", filter],
    queryFn: ({ pageParam, signal }) =>
      ask(api.GET("/messages", { params: { query: { ...filter, cursor: pageParam, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ["message", id],
    queryFn: () => ask(api.GET("/messages/{id}", { params: { path: { id } } })),
  });

export const actOn = (id: string, body: Schemas["ActInput"]) =>
  ask(api.POST("/messages/{id}/act", { params: { path: { id } }, body }));

/** The page of a letter, as it is printed. */
export const letterQuery = (id: string) =>
  queryOptions({
    queryKey: ["messages", id, "letter"],
    queryFn: async () => {
      const { data, error } = await api.GET("/messages/{id}/letter.pdf", { params: { path: { id } }, parseAs: "blob" });
      if (error) throw error;
      return data as unknown as Blob;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
