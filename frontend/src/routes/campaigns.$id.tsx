import { createFileRoute } from "@tanstack/react-router";
import { campaignQuery } from "@/api/campaigns";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { CampaignPage } from "@/pages/campaigns/CampaignPage";
import { isPart, type Part } from "@/pages/campaigns/parts";

export const Route = createFileRoute("/campaigns/$id")({
  validateSearch: (search): { part?: Part } => (isPart(search.part) ? { part: search.part } : {}),
  loader: async ({ context: { queryClient }, params }) => {
    const [data] = await Promise.all([
      queryClient.ensureQueryData(catalogueQuery),
      queryClient.ensureQueryData(campaignQuery(params.id)),
      needCatalogue("canvas"),
    ]);
    return data;
  },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  const { part } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <CampaignPage
      key={id}
      id={id}
      data={Route.useLoaderData()}
      part={part ?? "audience"}
      onPart={(next) => navigate({ search: { part: next } })}
    />
  );
}
