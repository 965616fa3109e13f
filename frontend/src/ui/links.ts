/** The editor of a funnel, with a step selected if one is named; its route belongs to the canvas. */
export const editorOf = (id: string, step?: string) =>
  ({ to: "/funnels/$id/edit", params: { id }, ...(step ? { search: { step } } : {}) }) as unknown as { to: "/" };
