import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconDoorExit } from "@tabler/icons-react";
import type { Counts, MessageCount } from "./answers";
import c from "./card.module.css";
import i from "./insight/insight.module.css";
import { NumberButton, short } from "./insight/NumberButton";
import { openNumber } from "./insight/state";
import { stripOf } from "./messageCounts";
import { useEditor } from "./store";
import type { Family } from "./types";

/** Short ("12.3k"), exact in the tooltip. */
export function Count({ n }: { n: number }) {
  return <b title={n.toLocaleString()}>{short(n)}</b>;
}

/** How many people stand at a step now. */
export function Here({ step, n }: { step: string; n: number | undefined }) {
  if (!n) return null;
  return (
    <span className={c.here} data-testid={`count-${step}-here`}>
      <NumberButton node={step} what="here" n={n}>
        <Trans>
          <b>{short(n)}</b> here
        </Trans>
      </NumberButton>
    </span>
  );
}

interface CountsProps {
  step: string;
  family: Family;
  count: Counts["nodes"][string] | undefined;
}

/** The strip of a card: who came by and who is here, or what became of its messages. Three numbers at most, so that longer languages fit. */
export function CardCounts({ step, family, count }: CountsProps) {
  if (!count) return <Nobody />;
  if (family === "message") return <MessageStrip step={step} messages={count.messages} />;
  const { came, passed } = count;
  return (
    <>
      <span data-testid={`count-${step}-passed`}>
        <NumberButton node={step} what="came" n={came}>
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
      <Here step={step} n={count.here} />
      {came > 0 && family !== "goal" && (
        <span data-testid={`count-${step}-left`}>
          <NumberButton node={step} what="went" n={passed}>
            <Trans>
              <b>{share(passed, came)} %</b> went on
            </Trans>
          </NumberButton>
        </span>
      )}
    </>
  );
}

function Nobody() {
  const live = useEditor((s) => s.funnel.version > 0);
  // Versions side by side are about what changed; numbers belong to the funnel that runs.
  const readOnly = useEditor((s) => s.readOnly);
  if (readOnly) return null;
  return <span>{live ? <Trans>nobody yet</Trans> : <Trans>nobody yet: not published</Trans>}</span>;
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
export function LossMark({ step, n }: { step: string; n: number }) {
  if (!n) return null;
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
      {plural(n, { one: "# left here", other: "# left here" })}
    </button>
  );
}
