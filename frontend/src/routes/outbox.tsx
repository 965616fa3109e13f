import { createFileRoute } from "@tanstack/react-router";
import { catalogueQuery } from "@/canvas/api";
import { needCatalogue } from "@/i18n";
import { Outbox } from "@/pages/outbox/Outbox";

export const Route = createFileRoute("/outbox")({
  loader: async ({ context: { queryClient } }) => {
    const [data] = await Promise.all([queryClient.ensureQueryData(catalogueQuery), needCatalogue("canvas")]);
    return data;
  },
  component: Page,
});

function Page() {
  return <Outbox data={Route.useLoaderData()} />;
}
