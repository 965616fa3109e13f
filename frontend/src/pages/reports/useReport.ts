import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { currentWorkspace } from "@/api/client";
import { type Report, type ReportBy, type ReportOf, reportQuery } from "@/api/reports";

/** A report that follows what happens: the server says it anew when a number has changed. */
export function useReport(by: ReportBy, of: ReportOf) {
  const client = useQueryClient();
  const { days, funnel } = of;
  useEffect(() => {
    if (typeof EventSource === "undefined") return;
    const query = new URLSearchParams({
      workspace: currentWorkspace() ?? "",
      by,
      days: String(days),
      ...(funnel ? { funnel } : {}),
    });
    const source = new EventSource(`/api/v1/reports/stream?${query}`, { withCredentials: true });
    source.addEventListener("report", (event: MessageEvent<string>) => {
      const { queryKey } = reportQuery(by, { days, ...(funnel ? { funnel } : {}) });
      client.setQueryData(queryKey, JSON.parse(event.data) as Report);
    });
    return () => source.close();
  }, [client, by, days, funnel]);
  return useQuery(reportQuery(by, of));
}
