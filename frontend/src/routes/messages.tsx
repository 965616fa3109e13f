import { createFileRoute, useNavigate } from "@tanstack/react-router";
import type { MessageFilter, MessageState } from "@/api/messages";
import { Messages } from "@/pages/messages/Messages";
import { messageStates } from "@/ui/messageWords";

const text = (value: unknown) => (typeof value === "string" && value ? value : undefined);

export const Route = createFileRoute("/messages")({
  validateSearch: (search): MessageFilter => {
    const filter: MessageFilter = {};
    const [to, funnel, state] = [text(search.to), text(search.funnel), text(search.state)];
    if (to) filter.to = to;
    if (funnel) filter.funnel = funnel;
    if (messageStates.includes(state as MessageState)) filter.state = state as MessageState;
    return filter;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return (
    <Messages filter={Route.useSearch()} onFilter={(search) => navigate({ to: "/messages", search, replace: true })} />
  );
}
