import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { Gallery } from "@/pages/gallery/Gallery";

export const Route = createFileRoute("/funnels/new")({
  validateSearch: (search): { template?: string } =>
    typeof search.template === "string" ? { template: search.template } : {},
  loader: async ({ context: { queryClient } }) => {
    const [data] = await Promise.all([queryClient.ensureQueryData(catalogueQuery), needCatalogue("canvas")]);
    return data;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return (
    <Gallery
      data={Route.useLoaderData()}
      shown={Route.useSearch().template}
      onShow={(template) => navigate({ to: "/funnels/new", search: template ? { template } : {}, replace: true })}
    />
  );
}
