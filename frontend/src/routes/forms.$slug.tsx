import { createFileRoute } from "@tanstack/react-router";
import { formQuery } from "@/api/inbound";
import { FormPage } from "@/pages/forms/FormPage";

export const Route = createFileRoute("/forms/$slug")({
  loader: ({ context, params }) => context.queryClient.ensureQueryData(formQuery(params.slug)),
  component: Page,
});

function Page() {
  const { slug } = Route.useParams();
  return <FormPage key={slug} slug={slug} />;
}
