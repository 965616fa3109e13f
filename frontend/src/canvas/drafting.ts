import { currentWorkspace } from "@/api/client";
import type { AiDraft, AiNews } from "./answers";
import { api } from "./api";

/** Listens to a draft on its way and asks for its result once it has ended. */
export async function follow(id: string, signal: AbortSignal, tell: (news: AiNews) => void): Promise<AiDraft> {
  const workspace = encodeURIComponent(currentWorkspace() ?? "");
  const source =
    typeof EventSource === "undefined"
      ? undefined
      : new EventSource(`/api/v1/ai/drafts/${id}/events?workspace=${workspace}`, { withCredentials: true });
  const ended = new Promise<void>((resolve) => {
    source?.addEventListener("news", (event: MessageEvent<string>) => {
      const news = JSON.parse(event.data) as AiNews;
      if (news.kind === "done") resolve();
      else if (!signal.aborted) tell(news);
    });
    signal.addEventListener("abort", () => resolve());
  });
  try {
    // A stream that does not come through must not keep the answer away.
    for (let wait = 200; ; wait = Math.min(1000, wait * 1.4)) {
      const draft = await api.answer(id);
      const { state } = draft.task;
      if (state === "done" || state === "failed" || state === "cancelled" || signal.aborted) return draft;
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, wait))]);
    }
  } finally {
    source?.close();
  }
}
