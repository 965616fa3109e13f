import { createFileRoute } from "@tanstack/react-router";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { Segments } from "@/pages/segments/Segments";

export const Route = createFileRoute("/segments/")({
  loader: async ({ context: { queryClient } }) => {
    const [data] = await Promise.all([queryClient.ensureQueryData(catalogueQuery), needCatalogue("canvas")]);
    return data;
  },
  component: Page,
});

function Page() {
  return <Segments data={Route.useLoaderData()} />;
}
