import { Plural, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
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
import { Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { CampaignRow } from "./CampaignRow";

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
            <Rows
              tall
              lively
              heads={[
                { label: t`Campaign` },
                { label: t`State` },
                { label: t`Sent`, width: 220 },
                { label: t`Opened`, kind: "number" },
                { label: t`Clicked`, kind: "number" },
                { label: t`Actions`, kind: "menu" },
              ]}
            >
              {campaigns.map((campaign) => (
                <CampaignRow key={campaign.id} campaign={campaign} />
              ))}
            </Rows>
          )}
          <MoreRows query={list} />
        </Panel>
      </PageBody>
    </>
  );
}
