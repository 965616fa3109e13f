import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Select } from "@mantine/core";
import { IconPlus, IconRoute, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { type PathStep, pathPeople, pathQuery } from "@/api/reports";
import { useCan } from "@/api/session";
import { Empty } from "@/ui/Empty";
import { useEventWord } from "@/ui/eventWords";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { PeopleDrawer } from "@/ui/PeopleDrawer";
import { useLength } from "./length";
import classes from "./reports.module.css";
import { useRescue } from "./useRescue";

const fewest = 2;
const most = 6;
const namesQuery = { queryKey: ["event-names"], queryFn: () => ask(api.GET("/event-names")) };

/** Two to six events one after the other: how many people come so far, how long they take, and what to do for those who stop. */
export function PathReport({ days }: { days: number }) {
  const { t } = useLingui();
  const can = useCan();
  const names = useQuery(namesQuery);
  const word = useEventWord();
  const [events, setEvents] = useState<(string | null)[]>([null, null]);
  const chosen = events.filter((event) => event !== null);
  const path = useQuery(pathQuery(chosen.length === events.length ? chosen : [], days));
  const [opened, setOpened] = useState<{ step: number; dropped: boolean }>();
  const rescue = useRescue(days);
  const choices = (names.data?.items ?? []).map(({ name }) => ({ value: name, label: word(name) }));
  if (!can("events.read")) return null;
  return (
    <Panel title={t`Paths`} meta={t`who does one thing after the other`}>
      <div className={classes.picks}>
        {events.map((event, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the events of a path have no identity but their place
          <div key={i} className={classes.pick}>
            {i > 0 && <span className="meta">{t`then`}</span>}
            <Select
              aria-label={t`Event ${i + 1}`}
              placeholder={i === 0 ? t`First they…` : t`then they…`}
              searchable
              w={200}
              data={choices}
              value={event}
              onChange={(value) => setEvents(events.map((old, at) => (at === i ? value : old)))}
            />
            {events.length > fewest && (
              <ActionIcon
                size="sm"
                aria-label={t`Take event ${i + 1} out`}
                onClick={() => setEvents(events.filter((_, at) => at !== i))}
              >
                <IconX size={15} stroke={1.75} aria-hidden />
              </ActionIcon>
            )}
          </div>
        ))}
        {events.length < most && (
          <Button
            size="sm"
            leftSection={<IconPlus size={15} stroke={1.75} aria-hidden />}
            onClick={() => setEvents([...events, null])}
          >
            {t`Add an event`}
          </Button>
        )}
      </div>
      {path.error ? (
        <Failure error={path.error} reset={() => path.refetch()} compact />
      ) : !path.data ? (
        <Empty
          compact
          family="logic"
          icon={IconRoute}
          title={t`Pick two to six events`}
          text={t`You see how many people go from one to the next, how long they take, and where they stop.`}
        />
      ) : (
        <ol className={classes.path} data-testid="path">
          {path.data.map((step, i) => (
            <PathLine
              // biome-ignore lint/suspicious/noArrayIndexKey: the same event may come twice
              key={i}
              step={step}
              label={word(step.event)}
              first={path.data[0]?.people ?? 0}
              before={path.data[i - 1]}
              next={path.data[i + 1]}
              n={i + 1}
              onOpen={(dropped) => setOpened({ step: i + 1, dropped })}
              {...(can("funnels.write") && can("contacts.write")
                ? { onRescue: () => rescue.mutate({ did: step.event, not: path.data[i + 1]?.event ?? "" }) }
                : {})}
              busy={rescue.isPending}
            />
          ))}
        </ol>
      )}
      {opened && path.data && (
        <PeopleDrawer
          of={["path", chosen, days, opened.step, opened.dropped]}
          title={
            opened.dropped
              ? t`Stopped after: ${word(path.data[opened.step - 1]?.event ?? "")}`
              : t`Came to: ${word(path.data[opened.step - 1]?.event ?? "")}`
          }
          load={(cursor) => pathPeople(chosen, days, opened.step, opened.dropped, cursor)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Panel>
  );
}

interface PathLineProps {
  step: PathStep;
  label: string;
  n: number;
  first: number;
  before?: PathStep | undefined;
  next?: PathStep | undefined;
  busy: boolean;
  onOpen: (dropped: boolean) => void;
  onRescue?: () => void;
}

function PathLine({ step, label, n, first, before, next, busy, onOpen, onRescue }: PathLineProps) {
  const { t } = useLingui();
  const format = useFormat();
  const length = useLength();
  const lost = next ? step.people - next.people : 0;
  return (
    <li>
      <div className={classes.stop}>
        <span className={classes.place}>{n}</span>
        <span className={classes.says}>
          <b>{label}</b>
          {before && step.people > 0 && (
            <span className="meta num">{t`${length(step.median_seconds)} after the event before, for half of them`}</span>
          )}
        </span>
        <span className={classes.track} aria-hidden>
          <i style={{ width: `${first > 0 ? (100 * step.people) / first : 0}%` }} />
        </span>
        <button type="button" className={classes.number} data-testid={`path-${n}`} onClick={() => onOpen(false)}>
          {format.number(step.people)}
        </button>
        <span className="meta num">{first > 0 ? format.percent(step.people / first) : ""}</span>
      </div>
      {lost > 0 && (
        <div className={classes.drop}>
          <button type="button" className={classes.number} data-testid={`drop-${n}`} onClick={() => onOpen(true)}>
            {t`${format.number(lost)} stop here (${format.percent(lost / Math.max(1, step.people))})`}
          </button>
          {onRescue && (
            <Button size="sm" loading={busy} onClick={onRescue}>
              {t`Build a funnel for these people`}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
