import { Plural, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
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
import { Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { SegmentRow } from "./SegmentRow";

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
            <Rows
              tall
              lively
              heads={[
                { label: t`Segment` },
                { label: t`Members`, kind: "number" },
                { label: t`Have an e-mail`, kind: "number" },
                { label: t`Have a phone`, kind: "number" },
                { label: t`Would be sent an e-mail now`, kind: "number" },
                { label: t`Actions`, kind: "menu" },
              ]}
            >
              {segments.map((segment) => (
                <SegmentRow key={segment.id} segment={segment} catalogue={catalogue} />
              ))}
            </Rows>
          )}
        </Panel>
      </PageBody>
    </>
  );
}
