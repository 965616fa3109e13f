import { createFileRoute } from "@tanstack/react-router";
import { ApiSettings } from "@/pages/settings/ApiSettings";

export const Route = createFileRoute("/settings/api")({
  validateSearch: (search): { event?: string } => (typeof search.event === "string" ? { event: search.event } : {}),
  component: ApiSettings,
});
