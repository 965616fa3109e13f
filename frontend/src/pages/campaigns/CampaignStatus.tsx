import { useLingui } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import type { CampaignState } from "@/api/campaigns";
import classes from "@/ui/status.module.css";

/** A campaign's state, said by word and dot. */
export function CampaignStatus({ state }: { state: CampaignState }) {
  const { t } = useLingui();
  const dot = <span className={classes.dot} />;
  switch (state) {
    case "draft":
      return (
        <Badge variant="outline" leftSection={<span className={classes.dot} data-tone="warning" />}>
          {t`Draft`}
        </Badge>
      );
    case "scheduled":
      return (
        <Badge data-tone="primary" leftSection={dot}>
          {t`Scheduled`}
        </Badge>
      );
    case "freezing":
      return (
        <Badge data-tone="primary" leftSection={dot}>
          {t`Starting`}
        </Badge>
      );
    case "sending":
      return (
        <Badge data-tone="ok" leftSection={dot}>
          {t`Being sent`}
        </Badge>
      );
    case "paused":
      return (
        <Badge data-tone="warning" leftSection={dot}>
          {t`Paused`}
        </Badge>
      );
    case "done":
      return <Badge variant="outline">{t`Finished`}</Badge>;
    case "cancelled":
      return <Badge>{t`Cancelled`}</Badge>;
  }
}
