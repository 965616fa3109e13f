import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createFunnel } from "@/api/funnels";
import { editorOf } from "@/ui/links";
import { useToast } from "@/ui/toast";

/** What begins because a person of the team decides: a funnel that starts for those who are chosen. */
export function useDecided() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const make = useMutation({
    mutationFn: () =>
      createFunnel({
        name: t`New send`,
        graph: {
          schema: 1,
          nodes: [{ id: "start", kind: "entry", name: "", config: { triggers: [{ kind: "manual" }] } }],
          edges: [],
        },
      }),
    onSuccess: (made) => {
      client.invalidateQueries({ queryKey: ["funnels"] });
      return navigate(editorOf(made.funnel.id));
    },
    onError: (error) => toast.failed(error),
  });
  return {
    text: t`A piece of news, an invitation, a thank-you: you choose the people and the moment.`,
    label: t`Choose people yourself`,
    busy: make.isPending,
    go: () => make.mutate(),
  };
}
