import { createFileRoute } from "@tanstack/react-router";
import { api, catalogueQuery } from "@/canvas/api";
import { Editor } from "@/canvas/Editor";
import { leftBehind } from "@/canvas/kept";
import { needCatalogue } from "@/i18n";

export const Route = createFileRoute("/funnels/$id/edit")({
  staticData: { shell: "mini" },
  validateSearch: (search: Record<string, unknown>): { step?: string; ask?: string; simulate?: string } => ({
    ...(typeof search.step === "string" ? { step: search.step } : {}),
    ...(typeof search.ask === "string" ? { ask: search.ask } : {}),
    ...(typeof search.simulate === "string" ? { simulate: search.simulate } : {}),
  }),
  loader: async ({ context: { queryClient }, params }) => {
    const [loaded, data, kept] = await Promise.all([
      queryClient.fetchQuery({ queryKey: ["funnel", params.id], queryFn: () => api.load(params.id), staleTime: 0 }),
      queryClient.ensureQueryData(catalogueQuery),
      leftBehind(params.id),
      needCatalogue("canvas"),
    ]);
    return { loaded, data, kept };
  },
  // What is edited is in the editor's own store; the router must not serve an older copy.
  gcTime: 0,
  shouldReload: false,
  component: Page,
});

function Page() {
  const { loaded, data, kept } = Route.useLoaderData();
  const { step, ask, simulate } = Route.useSearch();
  return (
    <Editor key={loaded.funnel.id} loaded={loaded} kept={kept} data={data} step={step} ask={ask} simulate={simulate} />
  );
}
