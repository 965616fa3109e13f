import { useLingui } from "@lingui/react/macro";
import { Progress } from "@mantine/core";
import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, ask } from "@/api/client";
import { funnelChoicesQuery } from "@/api/funnels";
import { useCan } from "@/api/session";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import classes from "./home.module.css";

const firstStepsQuery = { queryKey: ["first-steps"], queryFn: () => ask(api.GET("/first-steps")), staleTime: 0 };

/** Five steps to the first real message, ticked by what this person did, not by what a sample brought. Gone when all are done. */
export function FirstSteps() {
  const { t } = useLingui();
  const can = useCan();
  const taken = useQuery(firstStepsQuery);
  const funnels = useQuery(funnelChoicesQuery);
  if (!taken.data || !funnels.data) return null;

  // The steps are taken in a funnel: the one changed last, or one that is still to be made.
  const latest = [...funnels.data].sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0];
  const funnel = latest ? editorOf(latest.id) : ({ to: "/funnels/new" } as const);
  const all = [
    { go: funnel, label: t`Try a simulation`, done: taken.data.simulated },
    { go: funnel, label: t`Change a text`, done: taken.data.written },
    { go: funnel, label: t`Publish to the sandbox`, done: taken.data.published },
    { go: { to: "/inbox" } as const, label: t`See it in the Test inbox`, done: taken.data.looked },
    { go: { to: "/settings/senders" } as const, label: t`Connect a sender`, done: taken.data.connected },
  ];
  const steps = can("providers.write") ? all : all.slice(0, -1);
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
              {...step.go}
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
