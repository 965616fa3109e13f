import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Member = Schemas["Member"];
export type Sender = Schemas["Sender"];
export type ApiToken = Schemas["ApiToken"];
export type Connection = Schemas["Connection"];
export type ConnectionKind = Schemas["ConnectionKind"];
export type TokenScope = Schemas["TokenScope"];

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: () => ask(api.GET("/members")),
  select: (answer) => answer.items,
});

export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: () => ask(api.GET("/invitations")),
  select: (answer) => answer.items,
});

export const sendersQuery = queryOptions({
  queryKey: ["senders"],
  queryFn: () => ask(api.GET("/senders")),
  select: (answer) => answer.items,
});

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: () => ask(api.GET("/connections")),
  select: (answer) => answer.items,
});

export const tokensQuery = queryOptions({
  queryKey: ["api-tokens"],
  queryFn: () => ask(api.GET("/api-tokens")),
  select: (answer) => answer.items,
});
