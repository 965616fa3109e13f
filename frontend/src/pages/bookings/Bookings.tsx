import { useLingui } from "@lingui/react/macro";
import { Button, Select } from "@mantine/core";
import { IconCalendarTime, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { type Resource, resourcesQuery } from "@/api/inbound";
import { useCan } from "@/api/session";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import classes from "./bookings.module.css";
import { ResourceLine } from "./ResourceLine";
import { Upcoming } from "./Upcoming";

const ResourceEditor = lazy(() => import("./ResourceEditor"));

/** What can be booked, and who comes when. */
export function Bookings() {
  const { t } = useLingui();
  const write = useCan()("bookings.write");
  const resources = useQuery(resourcesQuery);
  const [editing, setEditing] = useState<Resource | "new">();
  const [only, setOnly] = useState<string>();
  const none = resources.data?.length === 0;
  return (
    <>
      <PageHeader
        title={t`Bookings`}
        actions={
          write && (
            <Button
              variant="filled"
              leftSection={<IconPlus size={15} stroke={2} aria-hidden />}
              onClick={() => setEditing("new")}
            >
              {t`Add what can be booked`}
            </Button>
          )
        }
      />
      {none ? (
        <PageBody>
          <Panel label={t`Bookings`}>
            <Empty
              icon={IconCalendarTime}
              family="wait"
              title={t`Let people choose a time`}
              text={t`A call, a visit, a class: say when it is open and how long it takes. People choose a free time on a page you link to, and a funnel can remind them.`}
              action={
                write && (
                  <Button variant="filled" onClick={() => setEditing("new")}>
                    {t`Add what can be booked`}
                  </Button>
                )
              }
            />
          </Panel>
        </PageBody>
      ) : (
        <div className={classes.columns}>
          <div className={classes.column}>
            <Upcoming
              resource={only}
              locked={!write}
              filter={
                (resources.data?.length ?? 0) > 1 && (
                  <Select
                    size="sm"
                    className={classes.filter}
                    aria-label={t`What is booked`}
                    placeholder={t`Everything`}
                    clearable
                    clearButtonProps={{ "aria-label": t`Clear` }}
                    data={resources.data?.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
                    value={only ?? null}
                    onChange={(slug) => setOnly(slug ?? undefined)}
                  />
                )
              }
            />
          </div>
          <div className={classes.column}>
            <Panel flush title={t`What can be booked`}>
              {resources.error ? (
                <Failure error={resources.error} reset={() => resources.refetch()} compact />
              ) : resources.isPending ? (
                <RowSkeletons rows={2} />
              ) : (
                resources.data.map((resource) => (
                  <ResourceLine
                    key={resource.id}
                    resource={resource}
                    locked={!write}
                    onEdit={() => setEditing(resource)}
                  />
                ))
              )}
            </Panel>
          </div>
        </div>
      )}
      <Suspense fallback={null}>
        {editing && (
          <ResourceEditor resource={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </>
  );
}
