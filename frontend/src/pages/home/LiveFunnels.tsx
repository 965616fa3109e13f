import { useLingui } from "@lingui/react/macro";
import { Button, Table } from "@mantine/core";
import { IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { funnelChoicesQuery } from "@/api/funnels";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { FunnelStatus } from "@/ui/Status";
import classes from "./home.module.css";

export function LiveFunnels() {
  const { t } = useLingui();
  const format = useFormat();
  const funnels = useQuery(funnelChoicesQuery);
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
        <Table className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t`Funnel`}</Table.Th>
              <Table.Th>{t`State`}</Table.Th>
              <Table.Th className={classes.right}>{t`Entered`}</Table.Th>
              <Table.Th className={classes.right}>{t`Here now`}</Table.Th>
              <Table.Th className={classes.right}>{t`Finished`}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {running.slice(0, 8).map((funnel) => {
              const { active, done, exited, parked } = funnel.counts;
              return (
                <Table.Tr key={funnel.id}>
                  <Table.Td>
                    <Link {...editorOf(funnel.id)} className={`${classes.name} cut`}>
                      {funnel.name}
                    </Link>
                  </Table.Td>
                  <Table.Td>
                    <FunnelStatus state={funnel.state} />
                  </Table.Td>
                  <Table.Td className={classes.right}>{format.number(active + done + exited + parked)}</Table.Td>
                  <Table.Td className={classes.right}>{format.number(active + parked)}</Table.Td>
                  <Table.Td className={classes.right}>{format.number(done)}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
