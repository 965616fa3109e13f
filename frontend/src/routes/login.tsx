import { createFileRoute } from "@tanstack/react-router";
import { Login } from "@/pages/door/Login";

export const Route = createFileRoute("/login")({
  staticData: { shell: "none" },
  validateSearch: (search): { next?: string } => (typeof search.next === "string" ? { next: search.next } : {}),
  component: () => <Login next={Route.useSearch().next} />,
});
