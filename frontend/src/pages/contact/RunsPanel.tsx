import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock, IconPlayerPause, IconSitemap } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Contact, contactRunsQuery, endRun, type Run, retryRun, skipRun } from "@/api/people";
import { useCan } from "@/api/session";
import { callName } from "@/pages/people/name";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { SkipWait } from "@/ui/SkipWait";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useTexts } from "@/ui/useTexts";
import { WhyAnswer } from "@/ui/WhyAnswer";
import { useEndReason } from "./endReason";
import classes from "./person.module.css";

/** Which funnels a person is or was in, and where they stand in each. */
export function RunsPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const runs = useQuery(contactRunsQuery(person.id));
  const here = runs.data?.filter((run) => run.state !== "done" && run.state !== "exited") ?? [];
  const past = runs.data?.filter((run) => run.state === "done" || run.state === "exited") ?? [];
  return (
    <Panel title={t`Funnels`} meta={here.length > 0 ? t`in ${here.length} now` : undefined} flush>
      {runs.error ? (
        <Failure error={runs.error} reset={() => runs.refetch()} compact />
      ) : runs.isPending ? (
        <RowSkeletons rows={2} />
      ) : runs.data?.length === 0 ? (
        <Empty
          compact
          icon={IconSitemap}
          family="plain"
          title={t`Not in any funnel yet`}
          text={t`A funnel starts by itself when its trigger fires, or by hand with “Start a funnel”.`}
        />
      ) : (
        <ul>
          {[...here, ...past].map((run) => (
            <RunLine key={run.id} run={run} name={callName(person)} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const signs = {
  active: { icon: IconClock, family: "wait" },
  paused: { icon: IconPlayerPause, family: "plain" },
  parked: { icon: IconAlertTriangle, family: "error" },
  done: { icon: IconCheck, family: "trigger" },
  exited: { icon: IconCheck, family: "plain" },
} as const;

function RunLine({ run, name }: { run: Run; name: string }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const endReason = useEndReason();
  const client = useQueryClient();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const [asked, setAsked] = useState(false);
  const step = useTexts()(run.node_title);

  const attempt = async (act: (id: string) => Promise<unknown>, done: string) => {
    try {
      await act(run.id);
      await client.invalidateQueries({ queryKey: ["contact", run.contact.id] });
      toast.show({ title: done });
    } catch (error) {
      toast.failed(error);
    }
  };

  const where = () => {
    switch (run.state) {
      case "active":
        return run.wake_at ? t`At “${step}” until ${format.moment(run.wake_at)}` : t`At “${step}”`;
      case "paused":
        return t`At “${step}”; the funnel is paused`;
      case "parked":
        return run.error ? t`Stuck at “${step}”: ${run.error}` : t`Stuck at “${step}”`;
      case "done":
        return run.ended_at ? t`Finished ${format.moment(run.ended_at)}` : t`Finished`;
      case "exited":
        return run.ended_at
          ? t`Left ${format.moment(run.ended_at)}: ${endReason(run.reason)}`
          : t`Left: ${endReason(run.reason)}`;
    }
  };
  const sign = signs[run.state];
  const operate = can("runs.operate");
  return (
    <li className={classes.run} data-testid={`run-${run.state}`}>
      {dialog}
      <span className={classes.runIcon} data-family={sign.family}>
        <sign.icon size={16} stroke={1.75} aria-hidden />
      </span>
      <span className={classes.runText}>
        <Link {...editorOf(run.funnel_id)} className={classes.runName}>
          {run.funnel_name}
        </Link>
        <span className="meta">{where()}</span>
      </span>
      <Badge variant="outline">{t`Version ${run.version}`}</Badge>
      <Button size="sm" variant="subtle" aria-expanded={asked} onClick={() => setAsked(!asked)}>{t`Why?`}</Button>
      {run.skippable && <SkipWait run={run.id} name={name} />}
      {operate && run.state === "parked" && (
        <span className={classes.runActions}>
          <Button size="sm" onClick={() => attempt(retryRun, t`${name} tries the step again`)}>
            {t`Try again`}
          </Button>
          <Button size="sm" onClick={() => attempt(skipRun, t`${name} goes on with the next step`)}>
            {t`Skip the step`}
          </Button>
        </span>
      )}
      {operate && (run.state === "active" || run.state === "parked" || run.state === "paused") && (
        <Button
          size="sm"
          variant="subtle"
          onClick={() =>
            confirm({
              title: t`Take ${name} out of “${run.funnel_name}”?`,
              text: t`What this funnel was about to send is not sent. This cannot be taken back.`,
              action: t`Take out`,
              run: () => attempt(endRun, t`${name} is out of “${run.funnel_name}”`),
            })
          }
        >
          {t`Take out`}
        </Button>
      )}
      {asked && (
        <div className={classes.runWhy}>
          <WhyAnswer funnel={run.funnel_id} contact={run.contact.id} />
        </div>
      )}
    </li>
  );
}
