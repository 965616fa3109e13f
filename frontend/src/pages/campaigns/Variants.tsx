import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Table } from "@mantine/core";
import { IconTrophy } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Campaign, type CampaignDocument, type CampaignProgress, chooseWinner } from "@/api/campaigns";
import { useCan } from "@/api/session";
import { readable } from "@/canvas/mergeWords";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { useToast } from "@/ui/toast";
import classes from "./campaigns.module.css";

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
      <Table className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t`Variant`}</Table.Th>
            <Table.Th className={classes.right}>{t`Sent`}</Table.Th>
            <Table.Th className={classes.right}>{t`Opened`}</Table.Th>
            <Table.Th className={classes.right}>{t`Clicked`}</Table.Th>
            {document.goal && <Table.Th className={classes.right}>{t`Reached the goal`}</Table.Th>}
            <Table.Th className={classes.right}>{t`Unsubscribed`}</Table.Th>
            <Table.Th className={classes.menu} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {progress.variants.map(({ id, tally }) => {
            const creative = document.variants.find((one) => one.id === id)?.creative;
            const goal = reached?.find((one) => one.id === id)?.reached ?? 0;
            return (
              <Table.Tr key={id} className={classes.row} data-testid={`variant-${id}`}>
                <Table.Td>
                  <b>{id.toUpperCase()}</b>{" "}
                  {progress.winner === id && (
                    <Badge data-tone="ok" leftSection={<IconTrophy size={12} stroke={2} aria-hidden />}>
                      {t`Winner`}
                    </Badge>
                  )}
                  <span className="meta cut">{readable(creative?.subject || creative?.title || creative?.text)}</span>
                </Table.Td>
                <Table.Td className={classes.right}>{format.number(tally.sent)}</Table.Td>
                <Table.Td className={classes.right}>{share(tally.opened, tally.delivered)}</Table.Td>
                <Table.Td className={classes.right}>{share(tally.clicked, tally.delivered)}</Table.Td>
                {document.goal && <Table.Td className={classes.right}>{share(goal, tally.delivered)}</Table.Td>}
                <Table.Td className={classes.right}>{share(tally.unsubscribed, tally.delivered)}</Table.Td>
                <Table.Td className={classes.menu}>
                  {open && (
                    <Button size="sm" loading={choose.isPending} onClick={() => choose.mutate(id)}>
                      {t`Send it to all`}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
