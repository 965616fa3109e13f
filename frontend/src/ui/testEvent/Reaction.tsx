import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { FunnelRef } from "@/api/events";
import { editorOf } from "@/ui/links";
import { useReactionWords } from "@/ui/reactionWords";
import classes from "./testEvent.module.css";

interface Reacted {
  started?: FunnelRef[];
  woke?: FunnelRef[];
  skipped?: FunnelRef[];
  reason?: string;
}

/** What an event started and woke, or why nothing: one line each. */
export function Reaction({ of }: { of: Reacted }) {
  const { t } = useLingui();
  const reactionWord = useReactionWords();
  const { started = [], woke = [], skipped = [], reason } = of;
  const funnel = (ref: FunnelRef) => <Link {...editorOf(ref.funnel_id, ref.node)}>{ref.funnel_name}</Link>;
  if (started.length + woke.length + skipped.length === 0)
    return (
      <span className={classes.effect} data-tone="dim">
        {reason
          ? t`Nothing started: ${reactionWord(reason)}`
          : t`Nothing started: no live funnel starts on it, and nobody waits for it`}
      </span>
    );
  return (
    <>
      {started.map((ref) => (
        <span key={`s ${ref.run_id ?? ref.funnel_id}`} className={classes.effect} data-tone="ok">
          {t`Started`} {funnel(ref)}
        </span>
      ))}
      {woke.map((ref) => (
        <span key={`w ${ref.run_id ?? ref.funnel_id}`} className={classes.effect} data-tone="ok">
          {t`Was heard in`} {funnel(ref)}
        </span>
      ))}
      {skipped.map((ref) => (
        <span key={`k ${ref.funnel_id}`} className={classes.effect} data-tone="dim">
          {t`Did not start`} {funnel(ref)}: {reactionWord(ref.reason)}
        </span>
      ))}
    </>
  );
}
