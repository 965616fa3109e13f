import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { funnelChoicesQuery } from "@/api/funnels";
import { reportQuery } from "@/api/reports";
import { useCan } from "@/api/session";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { FunnelStatus } from "@/ui/Status";
import classes from "./home.module.css";
import { Trend } from "./Trend";

export function LiveFunnels() {
  const { t } = useLingui();
  const format = useFormat();
  const funnels = useQuery(funnelChoicesQuery);
  const reports = useCan()("messages.read");
  const goals = useQuery({ ...reportQuery("funnel", { days: 30 }), enabled: reports });
  const share = (funnel: string) => {
    const row = goals.data?.rows.find(({ key }) => key === funnel);
    return row && row.delivered > 0 ? `${Math.round((100 * row.converted) / row.delivered)} %` : "–";
  };
  const running = funnels.data?.filter(({ state }) => state === "live" || state === "paused") ?? [];
  return (
    <Panel
      title={t`Live funnels`}
      flush
      actions={
        <Link to="/funnels" className={classes.all}>
          {t`All funnels`}
        </Link>
      }
    >
      {funnels.error ? (
        <Failure error={funnels.error} reset={() => funnels.refetch()} compact />
      ) : funnels.isPending ? (
        <RowSkeletons rows={3} />
      ) : running.length === 0 ? (
        <Empty
          compact
          icon={IconSitemap}
          family="trigger"
          title={t`No funnel is live yet`}
          text={t`Say above what should happen, or draw it yourself.`}
          action={
            <Button size="sm" renderRoot={(props) => <Link to="/funnels" {...props} />}>
              {t`See all funnels`}
            </Button>
          }
        />
      ) : (
        <Rows
          heads={[
            { label: t`Funnel` },
            { label: t`State` },
            reports && { label: t`Messages, 14 days` },
            { label: t`Entered`, kind: "number" },
            { label: t`Here now`, kind: "number" },
            reports && {
              label: t`Goal`,
              kind: "number",
              title: t`Of the messages that arrived in 30 days, so many led to the goal`,
            },
          ]}
        >
          {running.slice(0, 8).map((funnel) => {
            const { active, done, exited, parked } = funnel.counts;
            return (
              <Row key={funnel.id}>
                <Link {...editorOf(funnel.id)} className={`${classes.name} cut`}>
                  {funnel.name}
                </Link>
                <FunnelStatus state={funnel.state} />
                {reports && <Trend funnel={funnel.id} name={funnel.name} off={funnel.state !== "live"} />}
                {format.number(active + done + exited + parked)}
                {format.number(active + parked)}
                {reports && <>{share(funnel.id)}</>}
              </Row>
            );
          })}
        </Rows>
      )}
    </Panel>
  );
}
