import { Plural, useLingui } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Funnel, funnelProblemsQuery } from "@/api/funnels";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { Row } from "@/ui/Rows";
import { FunnelStatus } from "@/ui/Status";
import { FunnelMenu } from "./FunnelMenu";
import classes from "./funnels.module.css";

interface FunnelRowProps {
  funnel: Funnel;
  /** Another funnel has its name: the two are told apart by when they were made. */
  twin?: boolean;
}

export function FunnelRow({ funnel, twin }: FunnelRowProps) {
  const { t } = useLingui();
  const format = useFormat();
  const { active, done, exited, parked } = funnel.counts;
  const never = funnel.version === 0;
  return (
    <Row data-testid={`funnel-${funnel.slug}`}>
      <div>
        <Link {...editorOf(funnel.id)} className={classes.name}>
          {funnel.name}
        </Link>
        <span className="meta">
          {never
            ? t`Changed ${format.ago(funnel.updated_at)}`
            : funnel.changed
              ? t`Version ${funnel.version}, changes not published`
              : t`Version ${funnel.version}`}
        </span>
        {twin && (
          <span className={classes.twin} data-testid="same-name">
            {t`Another funnel has this name; this one was made ${format.moment(funnel.created_at)}`}
          </span>
        )}
      </div>

      <FunnelStatus state={funnel.state} />
      {never ? "–" : format.number(active + done + exited + parked)}
      {never ? "–" : format.number(active + parked)}
      {never ? "–" : format.number(done)}
      <div className={classes.problems}>
        {parked > 0 && (
          <Badge data-tone="error" leftSection={<IconAlertTriangle size={12} stroke={2} aria-hidden />}>
            <Plural value={parked} one="# person is stuck" other="# people are stuck" />
          </Badge>
        )}
        {(never || funnel.changed) && funnel.state !== "archived" && <DraftProblems id={funnel.id} />}
      </div>
      <FunnelMenu funnel={funnel} />
    </Row>
  );
}

/** How many problems keep the draft from being published. */
function DraftProblems({ id }: { id: string }) {
  const { data } = useQuery(funnelProblemsQuery(id));
  const errors = data?.filter((problem) => problem.severity === "error").length ?? 0;
  if (errors === 0) return null;
  return (
    <Badge data-tone="warning">
      <Plural value={errors} one="# problem in the draft" other="# problems in the draft" />
    </Badge>
  );
}
