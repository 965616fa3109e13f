import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Funnel = Schemas["Funnel"];
export type FunnelState = Schemas["FunnelState"];

export const funnelsQuery = (filter: { state?: FunnelState; q?: string } = {}) =>
  infiniteQueryOptions({
    queryKey: ["funnels", filter],
    queryFn: ({ pageParam, signal }) =>
      ask(api.GET("/funnels", { params: { query: { ...filter, cursor: pageParam, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

/** Up to 200 funnels for menus that choose one. */
export const funnelChoicesQuery = queryOptions({
  queryKey: ["funnels", "choices"],
  queryFn: () => ask(api.GET("/funnels", { params: { query: { limit: 200 } } })),
  select: (page) => page.items,
});

export const funnelProblemsQuery = (id: string) =>
  queryOptions({
    queryKey: ["funnels", "problems", id],
    queryFn: () => ask(api.POST("/funnels/{id}/validate", { params: { path: { id } } })),
    select: (answer) => answer.problems,
    staleTime: 60_000,
  });

const path = (id: string) => ({ params: { path: { id } } });

export const createFunnel = (body: Schemas["FunnelInput"]) => ask(api.POST("/funnels", { body }));
export const renameFunnel = (id: string, name: string) =>
  ask(api.PATCH("/funnels/{id}", { ...path(id), body: { name } }));
export const duplicateFunnel = (id: string) => ask(api.POST("/funnels/{id}/duplicate", path(id)));
export const pauseFunnel = (id: string) => ask(api.POST("/funnels/{id}/pause", path(id)));
export const resumeFunnel = (id: string) => ask(api.POST("/funnels/{id}/resume", path(id)));
export const stopFunnel = (id: string) => ask(api.POST("/funnels/{id}/stop", path(id)));
export const archiveFunnel = (id: string) => ask(api.POST("/funnels/{id}/archive", path(id)));
export const deleteFunnel = (id: string) => ask(api.DELETE("/funnels/{id}", path(id)));

/** A funnel as it is born: one entry that waits to be told what starts it. */
export const emptyGraph: Schemas["Graph"] = {
  schema: 1,
  nodes: [{ id: "start", kind: "entry", name: "", config: { triggers: [] } }],
  edges: [],
};
