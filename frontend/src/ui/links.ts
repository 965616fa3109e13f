/** The editor of a funnel, with a step selected if one is named. */
export const editorOf = (id: string, step?: string) =>
  ({ to: "/funnels/$id/edit", params: { id }, search: step ? { step } : {} }) as const;
