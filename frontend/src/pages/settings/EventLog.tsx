import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { eventNamesQuery, eventsQuery, type LoggedEvent } from "@/api/events";
import { useStream } from "@/api/stream";
import { Empty } from "@/ui/Empty";
import { useEventWord, usePropertiesLine } from "@/ui/eventWords";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { prepend } from "@/ui/prepend";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { Reaction } from "@/ui/testEvent/Reaction";
import classes from "./settings.module.css";

/** Events as they come, each with what it started, or why nothing. */
export function EventLog() {
  const { t } = useLingui();
  const client = useQueryClient();
  const eventWord = useEventWord();
  const [name, setName] = useState<string | null>(null);
  const filter = name ? { name } : {};
  const log = useInfiniteQuery({ ...eventsQuery(filter), placeholderData: keepPreviousData });
  const names = useQuery(eventNamesQuery);
  const events = log.data?.pages.flatMap((page) => page.items) ?? [];

  const live = useStream<LoggedEvent>(
    "/events/stream",
    "event",
    (event) => {
      if (name && event.name !== name) return;
      client.setQueryData(eventsQuery(filter).queryKey, (data) => data && prepend(data, event));
    },
    () => client.invalidateQueries({ queryKey: ["events"] }),
  );

  return (
    <Panel
      title={t`What came in`}
      meta={
        <span className={classes.live} data-on={live || undefined}>
          {live ? t`live` : t`not connected`}
        </span>
      }
      flush
      actions={
        <Select
          size="sm"
          w={180}
          aria-label={t`Event`}
          placeholder={t`All events`}
          clearable
          clearButtonProps={{ "aria-label": t`Clear` }}
          data={
            names.data?.map((entry) => ({
              value: entry.name,
              label: entry.internal ? eventWord(entry.name) : entry.name,
            })) ?? []
          }
          value={name}
          onChange={setName}
        />
      }
    >
      {log.error ? (
        <Failure error={log.error} reset={() => log.refetch()} compact />
      ) : log.isPending ? (
        <RowSkeletons rows={4} />
      ) : events.length === 0 ? (
        <Empty
          compact
          family="trigger"
          icon={IconActivity}
          title={t`Nothing came in yet`}
          text={t`Send a test event above, or run the code in your shop; it shows here at once.`}
        />
      ) : (
        <Rows tall heads={[{ label: t`Event` }, { label: t`When` }, { label: t`Who` }, { label: t`What it did` }]}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </Rows>
      )}
      <MoreRows query={log} />
    </Panel>
  );
}

function EventRow({ event }: { event: LoggedEvent }) {
  const format = useFormat();
  const eventWord = useEventWord();
  const propertiesLine = usePropertiesLine();
  const { contact } = event;
  return (
    <Row data-testid={`event-${event.name}`}>
      <div>
        <span className={event.source === "lejek" ? classes.ownEvent : classes.eventName} title={event.name}>
          {eventWord(event.name)}
        </span>
        <span className={classes.second}>{propertiesLine(event.properties)}</span>
      </div>

      <time dateTime={event.at}>{format.moment(event.at)}</time>
      {contact && (
        <Link to="/people/$id" params={{ id: contact.id }}>
          {contact.name || contact.email || contact.external_id || contact.id}
        </Link>
      )}
      <Reaction of={event} />
    </Row>
  );
}
