import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { currentWorkspace } from "@/api/client";
import type { Counts, Finding } from "../answers";
import { api } from "../api";
import { set, useEditor, useEditorStore } from "../store";
import { useInsight } from "./state";

/**
 * Numbers on cards and links. The server says them when they change, at most every two seconds; where its stream does not
 * reach us they are asked for each five.
 */
export function useCounts(): void {
  const store = useEditorStore();
  const funnel = useEditor((s) => s.funnel);
  const period = useInsight((s) => s.period);
  const running = funnel.state === "live" || funnel.state === "paused";
  const heard = useCountStream(funnel.id, period, running, (counts) => set(store, { counts }));
  const counts = useQuery({
    queryKey: ["funnel", funnel.id, "counts", period],
    queryFn: () => api.counts(funnel.id, period),
    enabled: funnel.version > 0 && !heard,
    refetchInterval: running ? 5000 : false,
  });
  const data = counts.data;
  useEffect(() => {
    if (data && !heard) set(store, { counts: data });
  }, [data, heard, store]);
  const findings = useQuery({
    queryKey: ["funnel", funnel.id, "findings"],
    queryFn: () => api.findings(funnel.id),
    enabled: funnel.version > 0,
    refetchInterval: funnel.state === "live" ? 60_000 : false,
  });
  const found = findings.data?.items;
  useEffect(() => {
    if (!found) return;
    const byStep: Record<string, Finding[]> = {};
    for (const f of found) byStep[f.node] = [...(byStep[f.node] ?? []), f];
    set(store, { findings: byStep });
  }, [found, store]);
}

/** Whether the stream has said something for this period. */
function useCountStream(funnel: string, period: string, on: boolean, take: (counts: Counts) => void): boolean {
  const [heard, setHeard] = useState("");
  const stream = `${funnel} ${period}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done with the counts does not reopen the stream
  useEffect(() => {
    if (!on || typeof EventSource === "undefined") return;
    const query = new URLSearchParams({ workspace: currentWorkspace() ?? "", period });
    const source = new EventSource(`/api/v1/funnels/${funnel}/counts/stream?${query}`, { withCredentials: true });
    source.addEventListener("counts", (event: MessageEvent<string>) => {
      take(JSON.parse(event.data) as Counts);
      setHeard(stream);
    });
    source.onerror = () => setHeard("");
    return () => source.close();
  }, [funnel, period, on, stream]);
  return on && heard === stream;
}
