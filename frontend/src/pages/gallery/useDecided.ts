import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createCampaign } from "@/api/campaigns";
import { useToast } from "@/ui/toast";

/** What begins because a person of the team decides: a campaign. */
export function useDecided() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const make = useMutation({
    mutationFn: () => createCampaign(t`New campaign`),
    onSuccess: ({ campaign }) => {
      client.invalidateQueries({ queryKey: ["campaigns"] });
      return navigate({ to: "/campaigns/$id", params: { id: campaign.id } });
    },
    onError: (error) => toast.failed(error),
  });
  return {
    text: t`A piece of news, an invitation, a thank-you: you choose the people and the moment.`,
    label: t`Write a campaign`,
    busy: make.isPending,
    go: () => make.mutate(),
  };
}
