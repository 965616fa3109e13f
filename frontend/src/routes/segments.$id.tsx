import { createFileRoute } from "@tanstack/react-router";
import { segmentQuery } from "@/api/segments";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { SavedSegment } from "@/pages/segments/Segment";

export const Route = createFileRoute("/segments/$id")({
  loader: async ({ context: { queryClient }, params }) => {
    const [data] = await Promise.all([
      queryClient.ensureQueryData(catalogueQuery),
      queryClient.ensureQueryData(segmentQuery(params.id)),
      needCatalogue("canvas"),
    ]);
    return data;
  },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <SavedSegment key={id} id={id} data={Route.useLoaderData()} />;
}
