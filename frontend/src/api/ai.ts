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
