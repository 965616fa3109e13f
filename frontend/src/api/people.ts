import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Contact = Schemas["Contact"];
export type ContactField = Schemas["ContactField"];
export type ConsentState = Schemas["ConsentState"];
export type Run = Schemas["Run"];

export interface PeopleFilter {
  q?: string;
  tag?: string;
  list?: string;
}

export const peopleQuery = (filter: PeopleFilter) =>
  infiniteQueryOptions({
    queryKey: ["people", filter],
    queryFn: ({ pageParam, signal }) =>
      ask(api.GET("/contacts", { params: { query: { ...filter, cursor: pageParam, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ["contact", id],
    queryFn: () => ask(api.GET("/contacts/{id}", { params: { path: { id } } })),
  });

export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["contact", id, "timeline"],
    queryFn: ({ pageParam }) =>
      ask(api.GET("/contacts/{id}/timeline", { params: { path: { id }, query: { cursor: pageParam, limit: 50 } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

export const consentsQuery = (id: string) =>
  queryOptions({
    queryKey: ["contact", id, "consents"],
    queryFn: () => ask(api.GET("/contacts/{id}/consents", { params: { path: { id } } })),
    select: (answer) => answer.items,
  });

export const contactRunsQuery = (contact: string) =>
  queryOptions({
    queryKey: ["contact", contact, "runs"],
    queryFn: () => ask(api.GET("/runs", { params: { query: { contact, limit: 50 } } })),
    select: (answer) => answer.items,
  });

export const tagsQuery = queryOptions({
  queryKey: ["tags"],
  queryFn: () => ask(api.GET("/tags")),
  select: (answer) => answer.items,
});

export const listsQuery = queryOptions({
  queryKey: ["lists"],
  queryFn: () => ask(api.GET("/lists")),
  select: (answer) => answer.items,
});

export const fieldsQuery = queryOptions({
  queryKey: ["fields"],
  queryFn: () => ask(api.GET("/fields")),
  select: (answer) => answer.items,
});

const path = (id: string) => ({ params: { path: { id } } });
const slug = (id: string, value: string) => ({ params: { path: { id, slug: value } } });

export const createContact = (body: Schemas["ContactInput"]) => ask(api.POST("/contacts", { body }));
export const updateContact = (id: string, body: Schemas["ContactPatch"]) =>
  ask(api.PATCH("/contacts/{id}", { ...path(id), body }));
export const eraseContact = (id: string) => ask(api.DELETE("/contacts/{id}", path(id)));
export const addTag = (id: string, tag: string) => ask(api.POST("/contacts/{id}/tags", { ...path(id), body: { tag } }));
/** The slug of a tag by its name; a name nobody used before makes the tag. */
export async function tagSlug(name: string, known: readonly { slug: string; name: string }[]): Promise<string> {
  const folded = name.trim().toLowerCase();
  const found = known.find((tag) => tag.name.toLowerCase() === folded || tag.slug === folded);
  return found ? found.slug : (await ask(api.POST("/tags", { body: { name: name.trim() } }))).slug;
}

export const removeTag = (id: string, tag: string) => ask(api.DELETE("/contacts/{id}/tags/{slug}", slug(id, tag)));
export const joinList = (id: string, list: string) =>
  ask(api.POST("/contacts/{id}/lists", { ...path(id), body: { list } }));
export const leaveList = (id: string, list: string) => ask(api.DELETE("/contacts/{id}/lists/{slug}", slug(id, list)));
export const putConsent = (id: string, item: Schemas["ConsentInput"]) =>
  ask(api.PUT("/contacts/{id}/consents", { ...path(id), body: { items: [item] } }));
export const startFunnelFor = (id: string, funnel: string) =>
  ask(api.POST("/contacts/{id}/start/{funnel_id}", { params: { path: { id, funnel_id: funnel } } }));
export const retryRun = (id: string) => ask(api.POST("/runs/{id}/retry", path(id)));
export const skipRun = (id: string) => ask(api.POST("/runs/{id}/skip", path(id)));
/** In the sandbox: ends the wait a run is in, as if its time had come. */
export const skipWait = (id: string) => ask(api.POST("/runs/{id}/skip-wait", path(id)));
export const endRun = (id: string) => ask(api.POST("/runs/{id}/end", path(id)));

/** Hands a CSV file over as a task; its first line must already carry our names of the columns. */
export const importPeople = (csv: string, query: { consent: "granted" | "unknown"; list?: string }) =>
  ask(
    api.POST("/contacts/import", {
      params: { query },
      body: csv,
      bodySerializer: (body: string) => body,
      headers: { "Content-Type": "text/csv; charset=utf-8" },
    }),
  );
