import { createFileRoute } from "@tanstack/react-router";
import { api, catalogueQuery } from "@/canvas/api";
import { VersionsPage } from "@/canvas/versions/VersionsPage";
import { needCatalogue } from "@/i18n";

const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : undefined);

export const Route = createFileRoute("/funnels/$id/versions")({
  staticData: { shell: "mini" },
  validateSearch: (search: Record<string, unknown>): { a?: string; b?: string } => {
    const [a, b] = [text(search.a), text(search.b)];
    return { ...(a !== undefined ? { a } : {}), ...(b !== undefined ? { b } : {}) };
  },
  loader: async ({ context: { queryClient }, params }) => {
    const [loaded, versions, kept, data] = await Promise.all([
      api.load(params.id),
      api.versions(params.id),
      api.keptDrafts(params.id),
      queryClient.ensureQueryData(catalogueQuery),
      needCatalogue("canvas"),
    ]);
    return { loaded, versions: versions.items, kept: kept.items, data };
  },
  gcTime: 0,
  component: Page,
});

function Page() {
  const found = Route.useLoaderData();
  const { a, b } = Route.useSearch();
  const newest = found.versions[0]?.number;
  return <VersionsPage key={found.loaded.funnel.id} {...found} a={a ?? String(newest ?? "")} b={b ?? "draft"} />;
}
