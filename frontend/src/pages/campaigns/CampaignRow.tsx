import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { Campaign } from "@/api/campaigns";
import { readable } from "@/canvas/mergeWords";
import { useFormat } from "@/ui/format";
import { Row } from "@/ui/Rows";
import { CampaignMenu } from "./CampaignMenu";
import { CampaignStatus } from "./CampaignStatus";
import classes from "./campaigns.module.css";
import { Meter } from "./Meter";
import { useChannelName } from "./useWords";

export function CampaignRow({ campaign }: { campaign: Campaign }) {
  const { t } = useLingui();
  const format = useFormat();
  const channel = useChannelName();
  const { progress } = campaign;
  const { tally } = progress;
  const share = (people: number) => (tally.delivered > 0 ? format.percent(people / tally.delivered) : "–");
  const when =
    campaign.state === "scheduled" && campaign.start_at
      ? t`starts ${format.moment(campaign.start_at)}`
      : campaign.finished_at
        ? format.moment(campaign.finished_at)
        : campaign.frozen_at
          ? t`started ${format.ago(campaign.frozen_at)}`
          : t`changed ${format.ago(campaign.updated_at)}`;
  return (
    <Row data-testid={`campaign-${campaign.slug}`}>
      <div>
        <Link to="/campaigns/$id" params={{ id: campaign.id }} className={classes.name}>
          {campaign.name}
        </Link>
        <span className="meta cut">
          {channel(campaign.channel)}
          {campaign.subject ? ` · ${readable(campaign.subject)}` : ""}
        </span>
      </div>

      <div>
        <CampaignStatus state={campaign.state} />
        <span className={classes.under}>{when}</span>
      </div>

      {progress.total > 0 ? (
        <>
          <Meter progress={progress} />
          <span className={classes.under}>{t`${format.number(tally.sent)} of ${format.number(progress.total)}`}</span>
        </>
      ) : (
        "–"
      )}
      {share(tally.opened)}
      {share(tally.clicked)}
      <CampaignMenu campaign={campaign} />
    </Row>
  );
}
