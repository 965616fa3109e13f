import { useLingui } from "@lingui/react/macro";
import type { AiGroup } from "./answers";
import { acceptGroup, rejectGroup } from "./assistant";
import { Decide } from "./Decide";
import type { Proposal } from "./proposal";
import r from "./review.module.css";
import { select, useEditor, useEditorStore } from "./store";

/** The parts of a change, each with what it does; a part stands or falls by itself. */
export function ReviewGroups({ proposal }: { proposal: Proposal }) {
  return proposal.groups
    .filter((g) => !proposal.refused.has(g.id))
    .map((g) => <Part key={g.id} proposal={proposal} group={g} />);
}

function Part({ proposal, group }: { proposal: Proposal; group: AiGroup }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const current = useEditor((s) => group.steps.includes(s.selection[0] ?? ""));
  const title = group.summary[0] ?? t`Another change`;
  const show = () => {
    const step = group.steps.find((id) => proposal.doc.graph.nodes.some((n) => n.id === id));
    if (!step) return;
    select(store, [step]);
    store.getState().camera?.centre(step);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same step is reached on the canvas by keys
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are the controls
    <div className={r.item} data-current={current} data-testid={`group-${group.id}`} onClick={show}>
      <span className={`${r.words} ${r.whole}`}>
        {group.summary.map((line, i) => (i === 0 ? <b key={line}>{line}</b> : <small key={line}>{line}</small>))}
      </span>
      <Decide
        title={title}
        className={r.yn}
        yes={r.yes}
        accepted={proposal.taken.has(group.id)}
        onAccept={() => acceptGroup(store, group.id)}
        onReject={() => void rejectGroup(store, group.id)}
      />
    </div>
  );
}
