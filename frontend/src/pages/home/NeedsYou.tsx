import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { type Icon, IconAlertTriangle, IconHeartbeat, IconMail, IconMailX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, ask } from "@/api/client";
import { funnelChoicesQuery } from "@/api/funnels";
import { reportQuery } from "@/api/reports";
import { useCan, workspaceQuery } from "@/api/session";
import { useNeedSentence } from "@/pages/reports/needs";
import { editorOf } from "@/ui/links";
import { Panel } from "@/ui/Panel";
import classes from "./home.module.css";

const failedQuery = {
  queryKey: ["messages", "failed"],
  queryFn: () => ask(api.GET("/messages", { params: { query: { state: "failed" as const, limit: 50 } } })),
};

interface Need {
  key: string;
  icon: Icon;
  family: string;
  title: string;
  text: string;
  action: ReactNode;
}

/** What stands still until a person does something. Absent when nothing does. */
export function NeedsYou() {
  const { t } = useLingui();
  const can = useCan();
  const funnels = useQuery(funnelChoicesQuery);
  const workspace = useQuery(workspaceQuery);
  const failed = useQuery({ ...failedQuery, enabled: can("messages.read") });
  const domains = useQuery({ ...reportQuery("domain", { days: 30 }), enabled: can("messages.read") });
  const sentence = useNeedSentence();
  const needs: Need[] = [];

  for (const funnel of funnels.data ?? []) {
    const stuck = funnel.counts.parked;
    if (stuck > 0)
      needs.push({
        key: funnel.id,
        icon: IconAlertTriangle,
        family: "error",
        title: plural(stuck, {
          one: `# person is stuck in “${funnel.name}”`,
          other: `# people are stuck in “${funnel.name}”`,
        }),
        text: t`A step failed eight times. Try again, skip it, or take them out.`,
        action: (
          <Button size="sm" renderRoot={(props) => <Link {...editorOf(funnel.id)} {...props} />}>
            {t`Open the funnel`}
          </Button>
        ),
      });
  }
  for (const funnel of funnels.data ?? []) {
    const found = funnel.findings ?? 0;
    if (found > 0 && funnel.counts.parked === 0)
      needs.push({
        key: `found-${funnel.id}`,
        icon: IconHeartbeat,
        family: "error",
        title: plural(found, {
          one: `# thing was found in “${funnel.name}” while it is live`,
          other: `# things were found in “${funnel.name}” while it is live`,
        }),
        text: t`The steps say what and, where it can be mended, how.`,
        action: (
          <Button size="sm" renderRoot={(props) => <Link {...editorOf(funnel.id)} {...props} />}>
            {t`Open the funnel`}
          </Button>
        ),
      });
  }
  const lost = failed.data?.items.length ?? 0;
  if (lost > 0)
    needs.push({
      key: "failed",
      icon: IconMailX,
      family: "error",
      title: plural(lost, { one: "# message could not be sent", other: "# messages could not be sent" }),
      text: t`Each says why.`,
      action: (
        <Button size="sm" renderRoot={(props) => <Link to="/messages" search={{ state: "failed" }} {...props} />}>
          {t`See the reasons`}
        </Button>
      ),
    });
  for (const row of domains.data?.rows ?? [])
    if (row.needs.length > 0)
      needs.push({
        key: `domain-${row.key}`,
        icon: IconMailX,
        family: "error",
        title: sentence(row),
        text: row.cause ? t`Most often its server said: ${row.cause}` : t`Its server gave no reason.`,
        action: (
          <Button
            size="sm"
            renderRoot={(props) => <Link to="/reports" search={{ by: "domain" as const }} {...props} />}
          >
            {t`Open the report`}
          </Button>
        ),
      });
  if (workspace.data?.delivery === "sandbox" && can("providers.write"))
    needs.push({
      key: "sandbox",
      icon: IconMail,
      family: "message",
      title: t`No mail server is connected`,
      text: t`Messages go to the Test inbox until you connect one.`,
      action: (
        <Button size="sm" renderRoot={(props) => <Link to="/settings/sending" {...props} />}>
          {t`Connect a mail server`}
        </Button>
      ),
    });
  if (needs.length === 0) return null;
  return (
    <Panel title={t`Needs you`} meta={needs.length} flush>
      <ul>
        {needs.map((need) => (
          <li key={need.key} className={classes.need}>
            <span className={classes.needIcon} data-family={need.family}>
              <need.icon size={16} stroke={1.75} aria-hidden />
            </span>
            <span className={classes.needText}>
              <b>{need.title}</b>
              <span className="meta">{need.text}</span>
            </span>
            {need.action}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
