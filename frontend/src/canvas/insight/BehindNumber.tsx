import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { workspaceQuery } from "@/api/session";
import { PeopleDrawer } from "@/ui/PeopleDrawer";
import { SkipWait } from "@/ui/SkipWait";
import { api } from "../api";
import { lookOf } from "../look";
import { useEditor } from "../store";
import { usePeriodName } from "./PeriodSwitch";
import { type OpenNumber, openNumber, useInsight } from "./state";

/** Who is behind the number that was pressed. */
export function BehindNumber() {
  const open = useInsight((s) => s.open);
  return open ? <Behind open={open} /> : null;
}

function Behind({ open }: { open: OpenNumber }) {
  const { t } = useLingui();
  const funnel = useEditor((s) => s.funnel.id);
  const step = useEditor((s) => lookOf(s).title(open.node));
  const waits = useEditor((s) => ["wait", "throttle"].includes(lookOf(s).step(open.node)?.kind ?? ""));
  const { data: workspace } = useQuery(workspaceQuery);
  const skippable = open.what === "here" && waits && workspace?.delivery === "sandbox";
  const period = useInsight((s) => s.period);
  const name = usePeriodName();
  const words: Record<OpenNumber["what"], string> = {
    came: t`Came to “${step}”`,
    here: t`Stand at “${step}” now`,
    went: t`Went on from “${step}”`,
    lost: t`Left the funnel at “${step}”`,
    sent: t`Were sent “${step}”`,
    delivered: t`Got “${step}”`,
    opened: t`Opened “${step}”`,
    clicked: t`Clicked in “${step}”`,
    skipped: t`Were passed over at “${step}”`,
    failed: t`“${step}” failed for them`,
  };
  return (
    <PeopleDrawer
      of={[funnel, period, open.node, open.what, open.port]}
      title={
        <>
          {words[open.what]}
          {open.what !== "here" && <span className="meta"> {name(period)}</span>}
        </>
      }
      load={(cursor) => api.behind(funnel, period, open, cursor)}
      onClose={() => openNumber(undefined)}
      each={(person) => skippable && person.run_id && <SkipWait run={person.run_id} name={person.name} />}
    />
  );
}
