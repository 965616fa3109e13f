import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Campaign = Schemas["Campaign"];
export type CampaignState = Schemas["CampaignState"];
export type CampaignDetail = Schemas["CampaignDetail"];
export type CampaignDocument = Schemas["CampaignDocument"];
export type CampaignProgress = Schemas["CampaignProgress"];
export type CampaignTally = Schemas["CampaignTally"];
export type CampaignPreview = Schemas["CampaignPreview"];
export type Recipient = Schemas["Recipient"];
export type RecipientFilter = Schemas["RecipientFilter"];

/** How often to look while something is on its way. */
const movingPace = 2000;

export const isMoving = (state: CampaignState) => state === "freezing" || state === "sending" || state === "scheduled";

export const campaignsQuery = infiniteQueryOptions({
  queryKey: ["campaigns"],
  queryFn: ({ pageParam }) => ask(api.GET("/campaigns", { params: { query: { cursor: pageParam, limit: 25 } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next || undefined,
  // Campaigns are made and go on while another page is open: the list is looked at anew each time it is opened.
  refetchOnMount: "always",
  refetchInterval: ({ state }) =>
    state.data?.pages.some((page) => page.items.some((one) => isMoving(one.state))) && movingPace,
});

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ["campaigns", id],
    queryFn: () => ask(api.GET("/campaigns/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => {
      const now = state.data?.campaign.state;
      return (now === "freezing" || now === "scheduled") && 700;
    },
  });

export const campaignPreviewQuery = (id: string, document: CampaignDocument) =>
  queryOptions({
    queryKey: ["campaign-preview", id, document],
    queryFn: ({ signal }) => ask(api.POST("/campaigns/preview", { body: { document, campaign_id: id }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 10_000,
  });

/** How many are sent it in the end: at once, or when what holds them back has passed. */
export const willBeSent = (preview: CampaignPreview | undefined) =>
  preview?.reasons.reduce((sum, one) => sum + (one.state === "queued" ? one.people : 0), preview.sendable) ?? 0;

export const campaignReportQuery = (id: string, moving: boolean) =>
  queryOptions({
    queryKey: ["campaigns", id, "report"],
    queryFn: () => ask(api.GET("/campaigns/{id}/report", { params: { path: { id } } })),
    refetchInterval: moving ? 5000 : 15_000,
  });

export const recipientsQuery = (id: string, state: RecipientFilter | undefined) =>
  infiniteQueryOptions({
    queryKey: ["campaigns", id, "recipients", state],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/campaigns/{id}/recipients", {
          params: { path: { id }, query: { cursor: pageParam, limit: 25, ...(state ? { state } : {}) } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next || undefined,
  });

const at = (id: string) => ({ params: { path: { id } } });

export const createCampaign = (name: string, document?: CampaignDocument) =>
  ask(api.POST("/campaigns", { body: { name, ...(document ? { document } : {}) } }));
export const saveCampaign = (id: string, body: Schemas["CampaignPatch"]) =>
  ask(api.PATCH("/campaigns/{id}", { ...at(id), body }));
export const deleteCampaign = (id: string) => ask(api.DELETE("/campaigns/{id}", at(id)));
export const duplicateCampaign = (id: string, name: string) =>
  ask(api.POST("/campaigns/{id}/duplicate", { ...at(id), body: { name } }));
export const startCampaign = (id: string, revision: number) =>
  ask(api.POST("/campaigns/{id}/start", { ...at(id), body: { revision, accept_warnings: true } }));
export const scheduleCampaign = (id: string, revision: number) =>
  ask(api.POST("/campaigns/{id}/schedule", { ...at(id), body: { revision, accept_warnings: true } }));
export const unscheduleCampaign = (id: string) => ask(api.POST("/campaigns/{id}/unschedule", at(id)));
export const pauseCampaign = (id: string) => ask(api.POST("/campaigns/{id}/pause", at(id)));
export const resumeCampaign = (id: string) => ask(api.POST("/campaigns/{id}/resume", at(id)));
export const cancelCampaign = (id: string) => ask(api.POST("/campaigns/{id}/cancel", at(id)));
export const chooseWinner = (id: string, variant: string) =>
  ask(api.POST("/campaigns/{id}/winner", { ...at(id), body: { variant } }));
