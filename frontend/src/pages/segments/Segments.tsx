import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Table } from "@mantine/core";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { segmentsQuery } from "@/api/segments";
import { useCan } from "@/api/session";
import { makeCatalogue } from "@/canvas/catalogue";
import type { CatalogueData } from "@/canvas/types";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { SegmentRow } from "./SegmentRow";
import classes from "./segments.module.css";

export function Segments({ data }: { data: CatalogueData }) {
  const { t } = useLingui();
  const can = useCan();
  const navigate = useNavigate();
  const list = useQuery(segmentsQuery);
  const catalogue = useMemo(() => makeCatalogue(data), [data]);
  const segments = list.data ?? [];
  const create = can("contacts.write") && (
    <Button
      variant="filled"
      leftSection={<IconPlus size={15} stroke={2} aria-hidden />}
      onClick={() => navigate({ to: "/segments/new" })}
    >
      {t`New segment`}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t`Segments`}
        meta={segments.length > 0 && <Plural value={segments.length} one="# segment" other="# segments" />}
        actions={create}
      />
      <PageBody>
        <Panel flush label={t`Segments`}>
          {list.error ? (
            <Failure error={list.error} reset={() => list.refetch()} compact />
          ) : list.isPending ? (
            <RowSkeletons rows={4} />
          ) : segments.length === 0 ? (
            <Empty
              icon={IconUsersGroup}
              family="logic"
              title={t`Groups that keep themselves up to date`}
              text={t`Say who belongs, for example people from Kraków who bought three times. Whoever begins or ceases to match goes in or out by themselves, and a funnel can start for them. Begin with your first one.`}
              action={create}
            />
          ) : (
            <Table className={classes.table} highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t`Segment`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Members`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Have an e-mail`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Have a phone`}</Table.Th>
                  <Table.Th className={classes.right}>{t`Would be sent an e-mail now`}</Table.Th>
                  <Table.Th className={classes.menu}>
                    <span className="visually-hidden">{t`Actions`}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {segments.map((segment) => (
                  <SegmentRow key={segment.id} segment={segment} catalogue={catalogue} />
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Panel>
      </PageBody>
    </>
  );
}
