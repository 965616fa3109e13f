import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Table } from "@mantine/core";
import { IconPlus, IconSpeakerphone } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { campaignsQuery, createCampaign } from "@/api/campaigns";
import { useCan } from "@/api/session";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { CampaignRow } from "./CampaignRow";
import classes from "./campaigns.module.css";

export function Campaigns() {
  const { t } = useLingui();
  const can = useCan();
  const navigate = useNavigate();
  const toast = useToast();
  const list = useInfiniteQuery(campaignsQuery);
  const campaigns = list.data?.pages.flatMap((page) => page.items) ?? [];
  const make = useMutation({
    mutationFn: () => createCampaign(t`New campaign`),
    onSuccess: ({ campaign }) => navigate({ to: "/campaigns/$id", params: { id: campaign.id } }),
    onError: (error) => toast.failed(error),
  });
  const create = can("campaigns.write") && (
    <Button
      variant="filled"
      leftSection={<IconPlus size={15} stroke={2} aria-hidden />}
      loading={make.isPending}
      onClick={() => make.mutate()}
    >
      {t`New campaign`}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t`Campaigns`}
        meta={
          campaigns.length > 0 &&
          !list.hasNextPage && <Plural value={campaigns.length} one="# campaign" other="# campaigns" />
        }
        actions={create}
      />
      <PageBody>
        <Panel flush label={t`Campaigns`}>
          {list.error ? (
            <Failure error={list.error} reset={() => list.refetch()} compact />
          ) : list.isPending ? (
            <RowSkeletons rows={4} />
          ) : campaigns.length === 0 ? (
            <Empty
              icon={IconSpeakerphone}
              title={t`One message to many people, once`}
              text={t`News, an offer, an invitation: choose who receives it, write it, say when. The list of people is fixed when it starts, and everybody on it receives it once.`}
              action={create}
            />
          ) : (
            <Table className={classes.table} highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t`Campaign`}</Table.Th>
                  <Table.Th>{t`State`}</Table.Th>
                  <Table.Th className={classes.wide}>{t`Sent`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Opened`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Clicked`}</Table.Th>
                  <Table.Th className={classes.menu}>
                    <span className="visually-hidden">{t`Actions`}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {campaigns.map((campaign) => (
                  <CampaignRow key={campaign.id} campaign={campaign} />
                ))}
              </Table.Tbody>
            </Table>
          )}
          <MoreRows query={list} />
        </Panel>
      </PageBody>
    </>
  );
}
