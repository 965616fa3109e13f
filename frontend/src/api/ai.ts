import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type AiSettingsData = Schemas["AiSettings"];
export type AiEndpointData = Schemas["AiEndpoint"];
export type AiProfileData = Schemas["AiProfile"];

/** The workspace's models and its budget. */
export const aiSettingsQuery = queryOptions({
  queryKey: ["ai", "settings"],
  queryFn: () => ask(api.GET("/ai/settings")),
});

export type AiWordsData = Schemas["AiWords"];

/** What would be asked before somebody asks, and what of the budget is left. */
export const aiStatusQuery = queryOptions({
  queryKey: ["ai", "status"],
  queryFn: () => ask(api.GET("/ai/status")),
  staleTime: 10_000,
});

/** The languages in which the assistant speaks. */
export const spokenLanguage = (locale: string) => (locale === "pl" || locale === "ru" ? locale : "en");

type Spoken = Pick<Schemas["Creative"], "channel">;

/** The words of a message from a sentence, as a suggestion. */
export const writeWords = (prompt: string, locale: string, creative: Spoken, variables: string[]) =>
  ask(
    api.POST("/ai/words", {
      body: {
        prompt,
        language: spokenLanguage(locale),
        channel: creative.channel,
        variables,
        creative: creative as Schemas["Creative"],
      },
    }),
  );
