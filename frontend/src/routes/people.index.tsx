import { createFileRoute, useNavigate } from "@tanstack/react-router";
import type { PeopleFilter } from "@/api/people";
import { People } from "@/pages/people/People";

const text = (value: unknown) => (typeof value === "string" && value ? value : undefined);

export const Route = createFileRoute("/people/")({
  validateSearch: (search): PeopleFilter => {
    const filter: PeopleFilter = {};
    const [q, tag, list] = [text(search.q), text(search.tag), text(search.list)];
    if (q) filter.q = q;
    if (tag) filter.tag = tag;
    if (list) filter.list = list;
    return filter;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return (
    <People filter={Route.useSearch()} onFilter={(search) => navigate({ to: "/people", search, replace: true })} />
  );
}
