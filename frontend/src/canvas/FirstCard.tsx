import { useLingui } from "@lingui/react/macro";
import { IconLayoutGrid, IconSparkles } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import f from "./first.module.css";
import { triggerIcon } from "./kinds";
import { apply, select, set, useEditor, useEditorStore } from "./store";
import type { Trigger } from "./types";

/** The six starts most funnels have, in plain words; the inspector knows all of them. */
const plain = ["list_join", "form_submit", "api_event", "segment_enter", "date_field", "manual"] as const;

/** What an empty funnel shows: one question. Gone with the first start or the first step. */
export function FirstCard() {
  const { t } = useLingui();
  const store = useEditorStore();
  const empty = useEditor(
    (s) =>
      s.doc.graph.nodes.length === 1 && s.doc.graph.nodes[0]?.kind === "entry" && !started(s.doc.graph.nodes[0].config),
  );
  const hidden = useEditor(
    (s) => s.proposal !== undefined || s.simulating || s.selection.length > 0 || s.picker !== undefined,
  );
  const catalogue = useEditor((s) => s.catalogue);
  if (!empty || hidden) return null;

  const says: Record<(typeof plain)[number], string> = {
    list_join: t`Somebody signs up for a list`,
    form_submit: t`Somebody sends a form`,
    api_event: t`Something happens in your shop or app`,
    segment_enter: t`Somebody starts to match a segment`,
    date_field: t`A birthday or another date comes`,
    manual: t`You choose the people yourself`,
  };
  const choose = (kind: string) => {
    const entry = store.getState().doc.graph.nodes[0]?.id;
    if (!entry) return;
    const made: Trigger = { kind };
    for (const field of catalogue.trigger(kind).fields)
      if (field.default !== undefined && field.default !== null) made[field.key] = structuredClone(field.default);
    apply(store, t`choose what starts it`, (doc) => {
      const step = doc.graph.nodes.find(({ id }) => id === entry);
      if (step) step.config.triggers = [made];
    });
    select(store, [entry]);
  };
  return (
    <section className={f.first} aria-labelledby="first-question" data-testid="first-card">
      <h2 id="first-question">{t`What starts this?`}</h2>
      <ul>
        {plain.map((kind) => {
          const Icon = triggerIcon(kind);
          return (
            <li key={kind}>
              <button type="button" data-testid={`start-${kind}`} onClick={() => choose(kind)}>
                <span>
                  <Icon size={17} stroke={1.75} />
                </span>
                {says[kind]}
              </button>
            </li>
          );
        })}
      </ul>
      <div className={f.other}>
        <button type="button" onClick={() => set(store, { prompting: true })}>
          <IconSparkles size={16} stroke={1.75} />
          {t`Say it in a sentence`}
        </button>
        <Link to="/funnels/new">
          <IconLayoutGrid size={16} stroke={1.75} />
          {t`Start from a template`}
        </Link>
      </div>
    </section>
  );
}

function started(config: Record<string, unknown>): boolean {
  return Array.isArray(config.triggers) && config.triggers.length > 0;
}
