import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconCheck, IconSparkles } from "@tabler/icons-react";
import { useState } from "react";
import { acceptAll, acceptSuggestion, rejectAll, rejectSuggestion, shorten } from "./assistant";
import { Decide } from "./Decide";
import { creativeSlug } from "./document";
import { titleOf, viewOfKind } from "./kinds";
import { readable } from "./kinds/define";
import { counted, type Proposal, type Suggestion } from "./proposal";
import { ReviewGroups } from "./ReviewGroups";
import r from "./review.module.css";
import { select, useEditor, useEditorStore } from "./store";

/** What the suggestion would change, one by one; a click shows the step. */
export function ReviewList() {
  const proposal = useEditor((s) => s.proposal);
  if (!proposal) return null;
  return (
    <div className={r.list} data-testid="suggestions">
      <p className={r.ask}>
        <IconSparkles size={16} stroke={1.75} />“{proposal.prompt}”
      </p>
      {proposal.groups.length > 0 ? (
        <ReviewGroups proposal={proposal} />
      ) : (
        proposal.suggestions.map((s) => <Item key={`${s.what}-${s.step}`} proposal={proposal} suggestion={s} />)
      )}
    </div>
  );
}

function Item({ proposal, suggestion }: { proposal: Proposal; suggestion: Suggestion }) {
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const current = useEditor((s) => s.selection[0] === suggestion.step);
  const doc = suggestion.what === "removed" ? proposal.base : proposal.doc;
  const step = doc.graph.nodes.find((n) => n.id === suggestion.step);
  if (!step) return null;
  const title = titleOf(step, catalogue, doc);
  const view = viewOfKind(catalogue, step.kind);
  const Icon = view.icon;
  const show = () => {
    select(store, [suggestion.step]);
    store.getState().camera?.centre(suggestion.step);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same step is reached on the canvas by keys
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are the controls
    <div className={r.item} data-current={current} onClick={show}>
      <span className={r.chip} data-family={catalogue.kind(step.kind).family}>
        <Icon size={15} stroke={1.75} />
      </span>
      <span className={r.words}>
        <b>{title}</b>
        <small>
          {suggestion.what === "added" ? (
            <Trans>New step: {view.word()}</Trans>
          ) : suggestion.what === "removed" ? (
            <Trans>Goes away</Trans>
          ) : suggestion.what === "changed" ? (
            <Wording proposal={proposal} step={step.id} />
          ) : (
            <Trans>Leads elsewhere</Trans>
          )}
        </small>
      </span>
      {(suggestion.what === "added" || suggestion.what === "changed") && (
        <Decide
          title={title}
          className={r.yn}
          yes={r.yes}
          accepted={proposal.accepted.has(suggestion.step)}
          onAccept={() => acceptSuggestion(store, suggestion.step)}
          onReject={() => rejectSuggestion(store, suggestion.step)}
        />
      )}
    </div>
  );
}

/** The subject before and after, where it is the subject that changed. */
function Wording({ proposal, step }: { proposal: Proposal; step: string }) {
  const subject = (p: Proposal["base"]) => {
    const node = p.graph.nodes.find((n) => n.id === step);
    return node ? readable(p.creatives[creativeSlug(node) ?? ""]?.subject) : "";
  };
  const [before, after] = [subject(proposal.base), subject(proposal.doc)];
  if (before === after) return <Trans>Changed</Trans>;
  return (
    <span className={r.diff}>
      <del>{before}</del> <ins>{after}</ins>
    </span>
  );
}

/** The summary, counted from the difference itself, with what was assumed; accept or reject as a whole. */
export function ReviewBar({ phone }: { phone?: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const proposal = useEditor((s) => s.proposal);
  if (!proposal) return null;
  const n = counted(proposal);
  const parts = [
    n.added > 0 && plural(n.added, { one: "adds # step", other: "adds # steps" }),
    n.changed > 0 && plural(n.changed, { one: "changes # step", other: "changes # steps" }),
    n.removed > 0 && plural(n.removed, { one: "removes # step", other: "removes # steps" }),
    n.moved > 0 && plural(n.moved, { one: "leads # step elsewhere", other: "leads # steps elsewhere" }),
  ].filter(Boolean);
  const summary = parts.join(", ") || t`renames the funnel`;
  const offline = proposal.engine === "offline";
  return (
    <section className={r.bar} aria-label={t`Suggestion`} data-phone={phone} data-testid="review">
      <div className={r.do}>
        <strong>{summary.charAt(0).toUpperCase() + summary.slice(1)}</strong>
        <Shorter proposal={proposal} />
        <Button variant="subtle" onClick={() => rejectAll(store)}>
          <Trans>Reject all</Trans>
        </Button>
        <Button variant="ghost" leftSection={<IconCheck size={15} stroke={1.75} />} onClick={() => acceptAll(store)}>
          <Trans>Accept all</Trans>
        </Button>
      </div>
      <div className={r.assumed}>
        <span className={offline ? r.offline : r.assumption} data-testid="engine">
          {offline ? <Trans>Built-in planner, without AI</Trans> : <Trans>By {proposal.engine}</Trans>}
        </span>
        <Reach expected={proposal.expected} />
        {proposal.assumptions.length > 0 && (
          <span>
            <Trans>Assumed</Trans>
          </span>
        )}
        {proposal.assumptions.map((a) => (
          <span key={a} className={r.assumption}>
            {a}
          </span>
        ))}
      </div>
    </section>
  );
}

/** Asks for the same with a message less. Offered for a new funnel: the change of a running one says itself what it takes away. */
function Shorter({ proposal }: { proposal: Proposal }) {
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const [busy, setBusy] = useState(false);
  const messages = proposal.doc.graph.nodes.filter((n) => catalogue.kind(n.kind).family === "message").length;
  if (proposal.base.graph.nodes.length > 1 || messages < 2) return null;
  return (
    <Button
      variant="subtle"
      loading={busy}
      onClick={async () => {
        setBusy(true);
        await shorten(store);
        setBusy(false);
      }}
    >
      <Trans>Make it shorter</Trans>
    </Button>
  );
}

/** How many people this would meet, reckoned from what happened lately. */
function Reach({ expected }: { expected: Proposal["expected"] }) {
  if (!expected || expected.basis === "unknown") return null;
  const people = plural(expected.people, { one: "# person", other: "# people" });
  const messages = plural(expected.messages, { one: "# message", other: "# messages" });
  return (
    <span className={r.assumption} data-testid="reach">
      {expected.basis === "month" ? (
        <Trans>
          By the last 30 days: {people} a month, at most {messages}
        </Trans>
      ) : (
        <Trans>
          {people} now, at most {messages}
        </Trans>
      )}
    </span>
  );
}
