import { useLingui } from "@lingui/react/macro";
import { Progress } from "@mantine/core";
import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { funnelChoicesQuery } from "@/api/funnels";
import { messagesQuery } from "@/api/messages";
import { peopleQuery } from "@/api/people";
import { useCan, workspaceQuery } from "@/api/session";
import { Panel } from "@/ui/Panel";
import classes from "./home.module.css";

/** Five steps to the first real message, ticked by what is there, not by what was clicked. Gone when all are done. */
export function FirstSteps() {
  const { t } = useLingui();
  const can = useCan();
  const funnels = useQuery(funnelChoicesQuery);
  const people = useInfiniteQuery(peopleQuery({}));
  const messages = useInfiniteQuery(messagesQuery({}));
  const workspace = useQuery(workspaceQuery);
  if (!funnels.data || !people.data || !messages.data || !workspace.data) return null;

  const all = [
    { to: "/people", label: t`Bring in people`, done: (people.data.pages[0]?.items.length ?? 0) > 0 },
    { to: "/funnels", label: t`Draw a funnel`, done: funnels.data.length > 0 },
    { to: "/funnels", label: t`Publish it to the sandbox`, done: funnels.data.some((funnel) => funnel.version > 0) },
    { to: "/inbox", label: t`See a message in the Test inbox`, done: (messages.data.pages[0]?.items.length ?? 0) > 0 },
    { to: "/settings/senders", label: t`Connect a mail server`, done: workspace.data.delivery === "smtp" },
  ] as const;
  const steps = all.filter((step) => step.to !== "/settings/senders" || can("providers.write"));
  const done = steps.filter((step) => step.done).length;
  const next = steps.findIndex((step) => !step.done);
  if (next === -1) return null;
  return (
    <Panel
      title={t`First steps`}
      meta={t`${done} of ${steps.length}`}
      actions={
        <Progress
          w={64}
          value={(done / steps.length) * 100}
          color="var(--ok)"
          aria-label={t`First steps that are done`}
        />
      }
      flush
    >
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <li key={step.label}>
            <Link
              to={step.to}
              className={classes.step}
              data-done={step.done || undefined}
              data-next={index === next || undefined}
            >
              <span className={classes.box}>
                {step.done && <IconCheck size={12} stroke={2.5} aria-label={t`done`} />}
              </span>
              {step.label}
              {index === next && <IconArrowRight className={classes.arrow} size={16} stroke={1.75} aria-hidden />}
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
