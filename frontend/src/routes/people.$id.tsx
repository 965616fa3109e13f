import { createFileRoute } from "@tanstack/react-router";
import { contactQuery } from "@/api/people";
import { Person } from "@/pages/contact/Person";

export const Route = createFileRoute("/people/$id")({
  loader: ({ context, params }) => context.queryClient.ensureQueryData(contactQuery(params.id)),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <Person key={id} id={id} />;
}
