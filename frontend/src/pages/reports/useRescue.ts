import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ask } from "@/api/client";
import { createFunnel } from "@/api/funnels";
import { useEventWord } from "@/ui/eventWords";
import { editorOf } from "@/ui/links";
import { useToast } from "@/ui/toast";

/** Makes a segment of those who did one thing and not the next, and a draft that starts for whoever enters it. */
export function useRescue(days: number) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const word = useEventWord();
  return useMutation({
    mutationFn: async ({ did, not }: { did: string; not: string }) => {
      const within = { amount: days, unit: "days" };
      const happened = (name: string) => ({ event: { name, agg: "count", op: "gte", value: 1, within } });
      const name = t`${word(did)}, but not: ${word(not)}`;
      const segment = await ask(
        api.POST("/segments", { body: { name, rule: { all: [happened(did), { not: happened(not) }] } } }),
      );
      return createFunnel({
        name,
        graph: {
          schema: 1,
          nodes: [
            {
              id: "start",
              kind: "entry",
              name: "",
              config: {
                triggers: [{ kind: "segment_enter", segment: `segment:${segment.slug}` }],
                reentry: { rule: "after_exit" },
              },
            },
            { id: "goal-1", kind: "goal", name: word(not), config: { mode: "event", event: { name: not } } },
          ],
          edges: [],
        },
      });
    },
    onSuccess: (made) => {
      client.invalidateQueries({ queryKey: ["funnels"] });
      client.invalidateQueries({ queryKey: ["segments"] });
      toast.show({
        title: t`A segment and a draft were made`,
        text: t`The funnel starts for whoever enters the segment and ends when they go on after all. Now write what they get.`,
      });
      return navigate(editorOf(made.funnel.id));
    },
    onError: (error) => toast.failed(error),
  });
}
