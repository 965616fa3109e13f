import { createFileRoute, useNavigate } from "@tanstack/react-router";
import type { FunnelState } from "@/api/funnels";
import { Funnels } from "@/pages/funnels/Funnels";

const states: readonly unknown[] = ["draft", "live", "paused", "stopped", "archived"];

export const Route = createFileRoute("/funnels/")({
  validateSearch: (search): { state?: FunnelState } =>
    states.includes(search.state) ? { state: search.state as FunnelState } : {},
  component: Page,
});

function Page() {
  const { state } = Route.useSearch();
  const navigate = useNavigate();
  return (
    <Funnels state={state} onState={(next) => navigate({ to: "/funnels", search: next ? { state: next } : {} })} />
  );
}
