import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createFunnel, emptyGraph } from "@/api/funnels";
import { useToast } from "@/ui/toast";

/** Makes an empty funnel and hands the sentence to its canvas, which drafts it as suggestions there. */
export function useDraftFunnel() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  return useMutation({
    mutationFn: (_prompt: string) => createFunnel({ name: t`New funnel`, graph: emptyGraph }),
    onSuccess: async (made, prompt) => {
      client.invalidateQueries({ queryKey: ["funnels"] });
      await navigate({ to: "/funnels/$id/edit", params: { id: made.funnel.id }, search: { ask: prompt } });
    },
    onError: (error) => toast.failed(error),
  });
}
