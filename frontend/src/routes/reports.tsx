import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Reports } from "@/pages/reports/Reports";
import { type ReportsSearch, spans, tableBys } from "@/pages/reports/search";

export const Route = createFileRoute("/reports")({
  validateSearch: (search): ReportsSearch => {
    const seen: ReportsSearch = {};
    const days = spans.find((span) => span === Number(search.days));
    const by = tableBys.find((one) => one === search.by);
    if (days) seen.days = days;
    if (typeof search.funnel === "string") seen.funnel = search.funnel;
    if (by) seen.by = by;
    return seen;
  },
  component: Page,
});

function Page() {
  const navigate = useNavigate();
  return (
    <Reports search={Route.useSearch()} onSearch={(search) => navigate({ to: "/reports", search, replace: true })} />
  );
}
