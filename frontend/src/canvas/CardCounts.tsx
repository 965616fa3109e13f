import { Trans } from "@lingui/react/macro";
import type { MessageCount } from "./api";
import c from "./card.module.css";
import { stripOf } from "./messageCounts";
import { useEditor } from "./store";
import type { Step } from "./types";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Short on the card ("12.3k"), exact in the tooltip. */
export function Count({ n }: { n: number }) {
  return <b title={n.toLocaleString()}>{n < 10_000 ? n.toLocaleString() : compact.format(n)}</b>;
}

/** How many people stand at a step now. */
export function Here({ step }: { step: string }) {
  const here = useEditor((s) => s.counts?.nodes[step]?.here);
  if (!here) return null;
  return (
    <span className={c.here} data-testid={`count-${step}-here`}>
      <Trans>
        <Count n={here} /> here
      </Trans>
    </span>
  );
}

/** The strip of a card: who came by and who is here, or what became of its messages. Three numbers at most, so that longer languages fit. */
export function CardCounts({ step }: { step: Step }) {
  const count = useEditor((s) => s.counts?.nodes[step.id]);
  const family = useEditor((s) => s.catalogue.kind(step.kind).family);
  const live = useEditor((s) => s.funnel.version > 0);
  if (!count) return <span>{!live ? <Trans>nobody yet: not published</Trans> : <Trans>nobody yet</Trans>}</span>;
  if (family === "message") return <MessageStrip step={step.id} messages={count.messages} />;
  return (
    <>
      <span data-testid={`count-${step.id}-passed`}>
        {family === "goal" ? (
          <Trans>
            <Count n={count.passed} /> reached
          </Trans>
        ) : (
          <Trans>
            <Count n={count.passed} /> came by
          </Trans>
        )}
      </span>
      {count.here > 0 && <Here step={step.id} />}
    </>
  );
}

function MessageStrip({ step, messages }: { step: string; messages: MessageCount | undefined }) {
  return stripOf(messages).map(({ what, n }) => (
    <span key={what} data-testid={`count-${step}-${what}`} className={what === "failed" ? c.bad : undefined}>
      {what === "delivered" ? (
        <Trans>
          <Count n={n} /> got it
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
          <Count n={n} /> passed over
        </Trans>
      ) : (
        <Trans>
          <Count n={n} /> failed
        </Trans>
      )}
    </span>
  ));
}
