import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Rule } from "@/canvas/types";
import { api, ask, type Schemas } from "./client";

export type Segment = Schemas["Segment"];
export type Numbers = Schemas["AudienceNumbers"];

/** How often to ask while people are still being looked at. */
const buildingPace = 1500;

export const segmentsQuery = queryOptions({
  queryKey: ["segments"],
  queryFn: () => ask(api.GET("/segments")),
  select: (answer) => answer.items,
  refetchInterval: ({ state }) => state.data?.items.some((segment) => segment.building) && buildingPace,
});

export const segmentQuery = (id: string) =>
  queryOptions({
    queryKey: ["segments", id],
    queryFn: () => ask(api.GET("/segments/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => state.data?.segment.building && buildingPace,
  });

export const membersQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["segments", id, "members"],
    queryFn: ({ pageParam }) =>
      ask(api.GET("/segments/{id}/members", { params: { path: { id }, query: { cursor: pageParam, limit: 50 } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

/** How many people a rule, saved or not, is about. */
export const numbersQuery = (rule: Rule | undefined) =>
  queryOptions({
    queryKey: ["audience", rule],
    queryFn: ({ signal }) => ask(api.POST("/segments/count", { body: { rule: rule as never }, signal })),
    enabled: rule !== undefined,
    retry: false,
  });

export const createSegment = (body: Schemas["SegmentInput"]) => ask(api.POST("/segments", { body }));
export const updateSegment = (id: string, body: Schemas["SegmentPatch"]) =>
  ask(api.PATCH("/segments/{id}", { params: { path: { id } }, body }));
export const deleteSegment = (id: string) => ask(api.DELETE("/segments/{id}", { params: { path: { id } } }));
