import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconDoorExit } from "@tabler/icons-react";
import type { MessageCount } from "./answers";
import c from "./card.module.css";
import i from "./insight/insight.module.css";
import { NumberButton, short } from "./insight/NumberButton";
import { openNumber } from "./insight/state";
import { stripOf } from "./messageCounts";
import { useEditor } from "./store";
import type { Step } from "./types";

/** Short ("12.3k"), exact in the tooltip. */
export function Count({ n }: { n: number }) {
  return <b title={n.toLocaleString()}>{short(n)}</b>;
}

/** How many people stand at a step now. */
export function Here({ step }: { step: string }) {
  const here = useEditor((s) => s.counts?.nodes[step]?.here);
  if (!here) return null;
  return (
    <span className={c.here} data-testid={`count-${step}-here`}>
      <NumberButton node={step} what="here" n={here}>
        <Trans>
          <b>{short(here)}</b> here
        </Trans>
      </NumberButton>
    </span>
  );
}

/** The strip of a card: who came by and who is here, or what became of its messages. Three numbers at most, so that longer languages fit. */
export function CardCounts({ step }: { step: Step }) {
  const count = useEditor((s) => s.counts?.nodes[step.id]);
  const family = useEditor((s) => s.catalogue.kind(step.kind).family);
  const live = useEditor((s) => s.funnel.version > 0);
  const readOnly = useEditor((s) => s.readOnly);
  // Versions side by side are about what changed; numbers belong to the funnel that runs.
  if (readOnly && !count) return null;
  if (!count) return <span>{!live ? <Trans>nobody yet: not published</Trans> : <Trans>nobody yet</Trans>}</span>;
  if (family === "message") return <MessageStrip step={step.id} messages={count.messages} />;
  const { came, passed } = count;
  return (
    <>
      <span data-testid={`count-${step.id}-passed`}>
        <NumberButton node={step.id} what="came" n={came}>
          {family === "goal" ? (
            <Trans>
              <b>{short(came)}</b> reached
            </Trans>
          ) : (
            <Trans>
              <b>{short(came)}</b> came by
            </Trans>
          )}
        </NumberButton>
      </span>
      {count.here > 0 && <Here step={step.id} />}
      {came > 0 && family !== "goal" && (
        <span data-testid={`count-${step.id}-left`}>
          <NumberButton node={step.id} what="went" n={passed}>
            <Trans>
              <b>{share(passed, came)} %</b> went on
            </Trans>
          </NumberButton>
        </span>
      )}
    </>
  );
}

/** A share in percent; nobody passes a step more often than they come to it. */
function share(n: number, of: number): number {
  return Math.min(100, Math.round((100 * n) / of));
}

function MessageStrip({ step, messages }: { step: string; messages: MessageCount | undefined }) {
  return stripOf(messages).map(({ what, n }) => (
    <span key={what} data-testid={`count-${step}-${what}`} className={what === "failed" ? c.bad : undefined}>
      <NumberButton node={step} what={what} n={messages?.[what] ?? 0}>
        {what === "delivered" ? (
          <Trans>
            <b>{short(n)}</b> got it
          </Trans>
        ) : what === "opened" ? (
          <Trans>
            <b>{n} %</b> opened
          </Trans>
        ) : what === "clicked" ? (
          <Trans>
            <b>{n} %</b> clicked
          </Trans>
        ) : what === "skipped" ? (
          <Trans>
            <b>{short(n)}</b> passed over
          </Trans>
        ) : (
          <Trans>
            <b>{short(n)}</b> failed
          </Trans>
        )}
      </NumberButton>
    </span>
  ));
}

/** Where most people leave: drawn on the card, with how many. */
export function LossMark({ step }: { step: string }) {
  const lost = useEditor((s) => (s.counts?.nodes[step]?.loss && !s.simulation ? s.counts.nodes[step].lost : 0));
  if (!lost) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`nopan ${c.tag} ${i.loss}`}
      data-testid={`loss-${step}`}
      onClick={(e) => {
        e.stopPropagation();
        openNumber({ node: step, what: "lost" });
      }}
    >
      <IconDoorExit size={12} stroke={1.75} />
      {plural(lost, { one: "# left here", other: "# left here" })}
    </button>
  );
}
