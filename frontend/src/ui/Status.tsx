import { useLingui } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import type { FunnelState } from "@/api/funnels";
import classes from "./status.module.css";

/** A funnel's state, said by word and dot. */
export function FunnelStatus({ state, version }: { state: FunnelState; version?: number }) {
  const { t } = useLingui();
  const dot = <span className={classes.dot} />;
  switch (state) {
    case "live":
      return (
        <Badge className={classes.whole} data-tone="ok" leftSection={dot}>
          {version ? t`Live: version ${version}` : t`Live`}
        </Badge>
      );
    case "draft":
      return (
        <Badge
          className={classes.whole}
          variant="outline"
          leftSection={<span className={classes.dot} data-tone="warning" />}
        >
          {t`Draft`}
        </Badge>
      );
    case "paused":
      return <Badge className={classes.whole} variant="outline">{t`Paused`}</Badge>;
    case "stopped":
      return <Badge className={classes.whole} variant="outline">{t`Stopped`}</Badge>;
    case "archived":
      return <Badge className={classes.whole}>{t`Archived`}</Badge>;
  }
}
