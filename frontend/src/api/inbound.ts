import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Form = Schemas["Form"];
export type FormField = Schemas["FormField"];
export type FormInput = Schemas["FormInput"];
export type Submission = Schemas["Submission"];
export type Resource = Schemas["Resource"];
export type ResourceInput = Schemas["ResourceInput"];
export type Booking = Schemas["Booking"];

const path = (slug: string) => ({ params: { path: { slug } } });

export const formsQuery = queryOptions({
  queryKey: ["forms"],
  queryFn: () => ask(api.GET("/forms")),
  select: (answer) => answer.items,
});

export const formQuery = (slug: string) =>
  queryOptions({ queryKey: ["forms", slug], queryFn: () => ask(api.GET("/forms/{slug}", path(slug))) });

export const submissionsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ["forms", slug, "submissions"],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/forms/{slug}/submissions", { params: { path: { slug }, query: { cursor: pageParam, limit: 50 } } }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
    staleTime: 0,
  });

export const topicsQuery = queryOptions({
  queryKey: ["topics"],
  queryFn: () => ask(api.GET("/topics")),
  select: (answer) => answer.items,
});

export const createForm = (body: FormInput) => ask(api.POST("/forms", { body }));
export const updateForm = (slug: string, body: FormInput) => ask(api.PUT("/forms/{slug}", { ...path(slug), body }));
export const deleteForm = (slug: string) => ask(api.DELETE("/forms/{slug}", path(slug)));

export const resourcesQuery = queryOptions({
  queryKey: ["resources"],
  queryFn: () => ask(api.GET("/resources")),
  select: (answer) => answer.items,
});

export const bookingsQuery = (resource?: string) =>
  infiniteQueryOptions({
    queryKey: ["bookings", resource ?? ""],
    queryFn: ({ pageParam }) =>
      ask(api.GET("/bookings", { params: { query: { resource, cursor: pageParam, limit: 50 } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
    staleTime: 0,
  });

export const createResource = (body: ResourceInput) => ask(api.POST("/resources", { body }));
export const updateResource = (slug: string, body: ResourceInput) =>
  ask(api.PUT("/resources/{slug}", { ...path(slug), body }));
export const deleteResource = (slug: string) => ask(api.DELETE("/resources/{slug}", path(slug)));
export const cancelBooking = (id: string) => ask(api.DELETE("/bookings/{id}", { params: { path: { id } } }));
