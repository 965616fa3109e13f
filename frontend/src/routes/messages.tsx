import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { type MessageState, messageStates } from "@/api/messages";
import { Messages, type MessagesSearch } from "@/pages/messages/Messages";

const text = (value: unknown) => (typeof value === "string" && value ? value : undefined);

export const Route = createFileRoute("/messages")({
  validateSearch: (search): MessagesSearch => {
    const seen: MessagesSearch = {};
    const [q, funnel, state] = [text(search.q), text(search.funnel), text(search.state)];
    if (q) seen.q = q;
    if (funnel) seen.funnel = funnel;
    if (messageStates.includes(state as MessageState)) seen.state = state as MessageState;
    return seen;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return (
    <Messages search={Route.useSearch()} onSearch={(search) => navigate({ to: "/messages", search, replace: true })} />
  );
}
