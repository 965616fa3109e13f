import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { IconMailbox } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { outboxQuery, setOutboxMinutes } from "@/api/outbox";
import { useCan, workspaceQuery } from "@/api/session";
import type { CatalogueData } from "@/canvas/types";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { GroupCard } from "./GroupCard";
import classes from "./outbox.module.css";

/** What has been made and has not left: seen for a while, held, corrected, let go, or taken out. */
export function Outbox({ data }: { data: CatalogueData }) {
  const { t } = useLingui();
  const list = useQuery(outboxQuery);
  const groups = list.data ?? [];
  return (
    <>
      <PageHeader title={t`Outbox`} />
      <PageBody>
        <Window />
        {list.error ? (
          <Failure error={list.error} reset={() => list.refetch()} compact />
        ) : list.isPending ? (
          <RowSkeletons rows={3} />
        ) : groups.length === 0 ? (
          <Panel flush label={t`Outbox`}>
            <Empty
              icon={IconMailbox}
              title={t`Nothing waits to leave`}
              text={t`Messages can stay here for some minutes before they leave. Until then you can hold them, correct what they say, or take them out.`}
            />
          </Panel>
        ) : (
          groups.map((group) => (
            <GroupCard
              key={`${group.campaign_id ?? group.funnel_id} ${group.node} ${group.message_id}`}
              group={group}
              data={data}
            />
          ))
        )}
      </PageBody>
    </>
  );
}

/** How long marketing can be seen before it leaves. */
function Window() {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const { data: workspace } = useQuery(workspaceQuery);
  const set = useMutation({
    mutationFn: setOutboxMinutes,
    onSuccess: (now) => client.setQueryData(workspaceQuery.queryKey, now),
    onError: (error) => toast.failed(error),
  });
  const minutes = workspace?.outbox_minutes ?? 0;
  const choices = [...new Set([0, 2, 5, 10, 30, 60, minutes])].sort((a, b) => a - b);
  return (
    <div className={classes.window}>
      <Select
        label={t`Marketing stays here before it leaves`}
        description={t`Messages that answer what somebody did, such as receipts, leave at once.`}
        maw={340}
        allowDeselect={false}
        disabled={!can("workspace.write") || set.isPending}
        value={String(minutes)}
        data={choices.map((value) => ({ value: String(value), label: value === 0 ? t`Not at all` : t`${value} min` }))}
        onChange={(value) => set.mutate(Number(value))}
      />
    </div>
  );
}
