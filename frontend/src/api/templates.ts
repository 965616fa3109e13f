import { queryOptions } from "@tanstack/react-query";
import { currentLanguage } from "@/i18n";
import { api, ask, type Schemas } from "./client";

export type Template = Schemas["Template"];

/** The funnels to begin with, in the language of the interface. They change with the server only. */
export const templatesQuery = (language = currentLanguage()) =>
  queryOptions({
    queryKey: ["templates", language],
    queryFn: () => ask(api.GET("/templates", { params: { query: { language } } })),
    select: (page) => page.items,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const createFromTemplate = (template: Pick<Template, "slug" | "name">) =>
  ask(api.POST("/funnels", { body: { name: template.name, template: template.slug, language: currentLanguage() } }));

/** Deletes a template that was made here. */
export const deleteTemplate = (slug: string) => ask(api.DELETE("/templates/{slug}", { params: { path: { slug } } }));
