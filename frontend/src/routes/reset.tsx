import { createFileRoute } from "@tanstack/react-router";
import { Reset } from "@/pages/door/Reset";

export const Route = createFileRoute("/reset")({
  staticData: { shell: "none" },
  validateSearch: (search): { token?: string } => (typeof search.token === "string" ? { token: search.token } : {}),
  component: () => <Reset token={Route.useSearch().token} />,
});
