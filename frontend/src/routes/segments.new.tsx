import { createFileRoute } from "@tanstack/react-router";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { Segment } from "@/pages/segments/Segment";

export const Route = createFileRoute("/segments/new")({
  loader: async ({ context: { queryClient } }) => {
    const [data] = await Promise.all([queryClient.ensureQueryData(catalogueQuery), needCatalogue("canvas")]);
    return data;
  },
  component: Page,
});

function Page() {
  return <Segment data={Route.useLoaderData()} />;
}
