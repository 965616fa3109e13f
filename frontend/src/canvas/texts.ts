import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";

export type TextStep = Schemas["AiTextStep"];
export type TextVariant = Schemas["AiTextVariant"];

/** What the texts of a funnel come to that are written for people. */
export const textsQuery = (funnel: string) =>
  queryOptions({
    queryKey: ["funnel", funnel, "texts"],
    queryFn: async () => (await ask(api.GET("/funnels/{id}/texts", { params: { path: { id: funnel } } }))).items,
    staleTime: 0,
  });

/** US dollars, as exactly as small sums need. */
export function dollars(amount: number, locale: string): string {
  const digits = amount >= 1 ? 2 : amount >= 0.01 ? 3 : 5;
  return amount.toLocaleString(locale, { style: "currency", currency: "USD", maximumFractionDigits: digits });
}
