import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { IconTrophy } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Campaign, type CampaignDocument, type CampaignProgress, chooseWinner } from "@/api/campaigns";
import { useCan } from "@/api/session";
import { readable } from "@/canvas/mergeWords";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { useToast } from "@/ui/toast";

interface VariantsProps {
  campaign: Campaign;
  document: CampaignDocument;
  progress: CampaignProgress;
  reached: CampaignProgress["variants"] | undefined;
}

/** The variants side by side, and which one has won. */
export function Variants({ campaign, document, progress, reached }: VariantsProps) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const choose = useMutation({
    mutationFn: (variant: string) => chooseWinner(campaign.id, variant),
    onSettled: () => client.invalidateQueries({ queryKey: ["campaigns", campaign.id] }),
    onError: (error) => toast.failed(error),
  });
  const open = progress.decide_at !== undefined && !progress.winner && can("campaigns.send");
  const share = (people: number, of: number) => (of > 0 ? format.percent(people / of) : "–");
  return (
    <Panel flush title={t`Variants`}>
      <Rows
        tall
        heads={[
          { label: t`Variant` },
          { label: t`Sent`, kind: "number" },
          { label: t`Opened`, kind: "number" },
          { label: t`Clicked`, kind: "number" },
          document.goal && { label: t`Reached the goal`, kind: "number" },
          { label: t`Unsubscribed`, kind: "number" },
          { label: t`Actions`, kind: "acts" },
        ]}
      >
        {progress.variants.map(({ id, tally }) => {
          const creative = document.variants.find((one) => one.id === id)?.creative;
          const goal = reached?.find((one) => one.id === id)?.reached ?? 0;
          return (
            <Row key={id} data-testid={`variant-${id}`}>
              <div>
                <b>{id.toUpperCase()}</b>{" "}
                {progress.winner === id && (
                  <Badge data-tone="ok" leftSection={<IconTrophy size={12} stroke={2} aria-hidden />}>
                    {t`Winner`}
                  </Badge>
                )}
                <span className="meta cut">{readable(creative?.subject || creative?.title || creative?.text)}</span>
              </div>
              {format.number(tally.sent)}
              {share(tally.opened, tally.delivered)}
              {share(tally.clicked, tally.delivered)}
              {document.goal && <>{share(goal, tally.delivered)}</>}
              {share(tally.unsubscribed, tally.delivered)}
              {open && (
                <Button size="sm" loading={choose.isPending} onClick={() => choose.mutate(id)}>
                  {t`Send it to all`}
                </Button>
              )}
            </Row>
          );
        })}
      </Rows>
    </Panel>
  );
}
