import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Inbox, type InboxSearch } from "@/pages/inbox/Inbox";

const text = (value: unknown) => (typeof value === "string" && value ? value : undefined);

export const Route = createFileRoute("/inbox")({
  staticData: { shell: "mid" },
  validateSearch: (search): InboxSearch => {
    const seen: InboxSearch = {};
    const [message, q, funnel] = [text(search.message), text(search.q), text(search.funnel)];
    if (message) seen.message = message;
    if (q) seen.q = q;
    if (funnel) seen.funnel = funnel;
    return seen;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return <Inbox search={Route.useSearch()} onSearch={(search) => navigate({ to: "/inbox", search, replace: true })} />;
}
