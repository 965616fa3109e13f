import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type Campaign,
  type CampaignDetail,
  type CampaignProgress,
  campaignQuery,
  campaignReportQuery,
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  unscheduleCampaign,
} from "@/api/campaigns";
import { useCan } from "@/api/session";
import { useStream } from "@/api/stream";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { CampaignMenu } from "./CampaignMenu";
import { CampaignStatus } from "./CampaignStatus";
import classes from "./campaigns.module.css";
import { Headway } from "./Headway";
import { Outcome } from "./Outcome";
import { Recipients } from "./Recipients";
import { Variants } from "./Variants";

/** A campaign that is scheduled, under way, or over: how far it is, and what it brought. */
export function SendingPage({ detail }: { detail: CampaignDetail }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { campaign } = detail;
  const [live, setLive] = useState<CampaignProgress>();
  useStream<CampaignProgress>(`/campaigns/${campaign.id}/progress/stream`, "progress", (now) => {
    setLive(now);
    if (now.state !== campaign.state) void client.invalidateQueries({ queryKey: ["campaigns", campaign.id] });
  });
  const over = campaign.state === "done" || campaign.state === "cancelled";
  const report = useQuery(campaignReportQuery(campaign.id, !over));
  const progress = (over ? report.data?.progress : live) ?? live ?? campaign.progress;
  const state = live?.state ?? campaign.state;
  return (
    <>
      <PageHeader
        back={
          <Link to="/campaigns" className={classes.back}>
            {t`Campaigns`}
            <span aria-hidden> /</span>
          </Link>
        }
        title={campaign.name}
        status={<CampaignStatus state={state} />}
        actions={
          <>
            <Controls campaign={{ ...campaign, state }} progress={progress} />
            <CampaignMenu campaign={campaign} inside />
          </>
        }
      />
      <PageBody>
        <Headway campaign={{ ...campaign, state }} progress={progress} document={detail.document} />
        {progress.total > 0 && (
          <>
            <Outcome progress={progress} reached={report.data?.reached} />
            {progress.variants.length > 1 && (
              <Variants
                campaign={campaign}
                document={detail.document}
                progress={progress}
                reached={report.data?.progress.variants}
              />
            )}
            <Recipients id={campaign.id} progress={progress} moving={state === "sending"} />
          </>
        )}
      </PageBody>
    </>
  );
}

/** Pause, resume, cancel. */
function Controls({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const { id, name, state } = campaign;
  const act = useMutation({
    mutationFn: (run: (id: string) => Promise<Campaign>) => run(id),
    onSettled: () => client.invalidateQueries({ queryKey: campaignQuery(id).queryKey }),
    onError: (error) => toast.failed(error),
  });
  const left = progress.tally.waiting + progress.tally.queued + progress.tally.held;
  const cancel = () =>
    confirm({
      title: t`Cancel “${name}”?`,
      text: plural(left, {
        one: "# person who has not received it never will. What has left stays with those who have it.",
        other: "# people who have not received it never will. What has left stays with those who have it.",
      }),
      action: t`Cancel the campaign`,
      run: () => act.mutateAsync(cancelCampaign).catch(() => undefined),
    });
  return (
    <>
      {state === "scheduled" && can("campaigns.send") && (
        <Button loading={act.isPending} onClick={() => act.mutate(unscheduleCampaign)}>
          {t`Take it off the schedule`}
        </Button>
      )}
      {(state === "sending" || state === "paused") && can("campaigns.send") && (
        <Button variant="subtle" leftSection={<IconPlayerStop size={15} stroke={1.75} aria-hidden />} onClick={cancel}>
          {t`Cancel…`}
        </Button>
      )}
      {state === "sending" && can("sending.pause") && (
        <Button
          variant="filled"
          loading={act.isPending}
          leftSection={<IconPlayerPause size={15} stroke={1.75} aria-hidden />}
          onClick={() => act.mutate(pauseCampaign)}
        >
          {t`Pause the campaign`}
        </Button>
      )}
      {state === "paused" && can("sending.pause") && (
        <Button
          variant="filled"
          loading={act.isPending}
          leftSection={<IconPlayerPlay size={15} stroke={1.75} aria-hidden />}
          onClick={() => act.mutate(resumeCampaign)}
        >
          {t`Resume the campaign`}
        </Button>
      )}
      {dialog}
    </>
  );
}
