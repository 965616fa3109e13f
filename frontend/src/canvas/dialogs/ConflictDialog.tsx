import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { isProblem } from "@/api/problem";
import type { Change } from "../answers";
import { api } from "../api";
import { type SaidChange, sayChange } from "../changes";
import { useAutosave } from "../Editor";
import { naming, titleOf, viewOfKind } from "../kinds";
import { compareThree, type Merge, resolve, type Side } from "../merge";
import { documentOf, type EditorState, set, useEditor, useEditorStore } from "../store";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";
import { signs } from "./signs";

/** Somebody else saved first and changed the same steps. What only one side changed stays; about the rest one chooses, step by step. */
export function ConflictDialog() {
  const conflict = useEditor((s) => s.conflict);
  return conflict ? <Choose {...conflict} /> : null;
}

function Choose({ current, base }: NonNullable<EditorState["conflict"]>) {
  const { t } = useLingui();
  const store = useEditorStore();
  const saver = useAutosave();
  const navigate = useNavigate();
  const mine = useEditor((s) => s.doc);
  const merge = useMemo(() => compareThree(base, mine, documentOf(current)), [base, mine, current]);
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const changes = useChanges(current.revision, merge);
  const later = () => set(store, { dialog: undefined });
  const open = merge.conflicts.filter((id) => !choices.has(id)).length;
  const lost = useLost(merge, choices, open === 0);
  const save = () => {
    saver?.settle(current, resolve(merge, choices));
    void saver?.flush();
  };
  const copy = async () => {
    try {
      const made = await api.create({ ...mine, name: t`${mine.name} (my copy)` });
      saver?.settle(current);
      await navigate({ to: "/funnels/$id/edit", params: { id: made.funnel.id } });
    } catch (error) {
      notifications.show({
        message: (isProblem(error) && error.detail) || t`The copy could not be made. Try again in a moment.`,
      });
    }
  };
  const all = (side: Side) => setChoices(new Map(merge.conflicts.map((id) => [id, side])));
  const free = [...new Set([...merge.touched.theirs, ...merge.touched.mine])].filter(
    (id) => !merge.conflicts.includes(id),
  );
  return (
    <Modal opened onClose={later} title={<Trans>Somebody else changed the same steps</Trans>} size="lg">
      <div className={d.stack} data-testid="conflict-dialog">
        <p className={d.lead}>
          <Trans>
            Since your last save this funnel was saved elsewhere, perhaps in another tab. Nothing is lost: your changes
            are kept here until you choose.
          </Trans>
        </p>
        <section className={d.section}>
          <div className={d.planHead}>
            <h3>
              <Trans>Changed by both: choose</Trans>
            </h3>
            <button type="button" className={d.link} onClick={() => all("mine")}>{t`All mine`}</button>
            <button type="button" className={d.link} onClick={() => all("theirs")}>{t`All theirs`}</button>
          </div>
          <div className={d.rows}>
            {merge.conflicts.map((id) => (
              <Both
                key={id}
                id={id}
                merge={merge}
                changes={changes}
                chosen={choices.get(id)}
                choose={(side) => setChoices(new Map(choices).set(id, side))}
              />
            ))}
          </div>
        </section>
        {free.length > 0 && (
          <section className={d.section}>
            <h3>
              <Trans>Changed by one: both are kept</Trans>
            </h3>
            <ul className={d.rows}>
              {free.map((id) => (
                <li key={id} className={d.row} data-testid={`kept-${id}`}>
                  <span>
                    <b className={d.what}>{nameOf(id, merge, store.getState(), t`The whole funnel`)}</b>
                    <Said list={changes.theirs.get(id)} who={t`They`} />
                    <Said list={changes.mine.get(id)} who={t`You`} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {lost.length > 0 && (
          <p className={d.say}>
            <Trans>With these choices these steps are left out: {lost.join(", ")}</Trans>
          </p>
        )}
        <div className={d.foot}>
          <Button onClick={() => void copy()} data-testid="conflict-copy">
            <Trans>Keep mine as a copy</Trans>
          </Button>
          <span className={d.grow} />
          <Button onClick={later}>
            <Trans>Decide later</Trans>
          </Button>
          <Button variant="filled" disabled={open > 0} onClick={save} data-testid="conflict-save">
            <Trans>Save with these choices</Trans>
          </Button>
        </div>
      </div>
    </Modal>
  );
}

interface Sides {
  mine: ReadonlyMap<string, SaidChange[]>;
  theirs: ReadonlyMap<string, SaidChange[]>;
}

const nothing: Sides = { mine: new Map(), theirs: new Map() };

/** The changes of both sides in words, by step. */
function useChanges(revision: number, merge: Merge): Sides {
  const catalogue = useEditor((s) => s.catalogue);
  const id = useEditor((s) => s.funnel.id);
  const { base, mine, theirs } = merge;
  const found = useQuery({
    queryKey: ["funnel", id, "conflict", revision],
    queryFn: () => Promise.all([api.compare(base, mine), api.compare(base, theirs)]),
    gcTime: 0,
    staleTime: 0,
    retry: 1,
  });
  return useMemo(() => {
    if (!found.data) return nothing;
    const by = (list: Change[], doc: FunnelDocument) => {
      const words = naming(catalogue, doc);
      const steps = new Map<string, SaidChange[]>();
      for (const c of list) steps.set(c.node, [...(steps.get(c.node) ?? []), sayChange(c, words)]);
      return steps;
    };
    return { mine: by(found.data[0].changes, mine), theirs: by(found.data[1].changes, theirs) };
  }, [found.data, catalogue, mine, theirs]);
}

function nameOf(id: string, merge: Merge, s: EditorState, whole: string): string {
  for (const doc of [merge.mine, merge.theirs, merge.base]) {
    const step = doc.graph.nodes.find((n) => n.id === id);
    if (step) return `${viewOfKind(s.catalogue, step.kind).word()}: ${titleOf(step, s.catalogue, doc)}`;
  }
  return whole;
}

/** Steps that exist on a side and would not in what the choices make, beyond those a choice itself is about. */
function useLost(merge: Merge, choices: ReadonlyMap<string, Side>, ready: boolean): string[] {
  const { t } = useLingui();
  const store = useEditorStore();
  if (!ready) return [];
  const made = new Set(resolve(merge, choices).graph.nodes.map((n) => n.id));
  const old = new Set(merge.base.graph.nodes.map((n) => n.id));
  const added = [...merge.mine.graph.nodes, ...merge.theirs.graph.nodes].filter((n) => !old.has(n.id));
  return [...new Set(added.map((n) => n.id))]
    .filter((id) => !made.has(id))
    .map((id) => nameOf(id, merge, store.getState(), t`The whole funnel`));
}

interface BothProps {
  id: string;
  merge: Merge;
  changes: Sides;
  chosen: Side | undefined;
  choose: (side: Side) => void;
}

function Both({ id, merge, changes, chosen, choose }: BothProps) {
  const { t } = useLingui();
  const store = useEditorStore();
  const name = nameOf(id, merge, store.getState(), t`Name and notes of the funnel`);
  return (
    <fieldset className={d.both} data-testid={`conflict-${id || "funnel"}`}>
      <legend className={d.what}>{name}</legend>
      {(["theirs", "mine"] as const).map((side) => (
        <button
          key={side}
          type="button"
          className={d.choice}
          aria-pressed={chosen === side}
          data-testid={`take-${side}`}
          onClick={() => choose(side)}
        >
          <b>{side === "mine" ? t`Mine` : t`Theirs`}</b>
          <Said list={changes[side].get(id)} />
          {!changes[side].has(id) && (
            <small>
              <Trans>Changed</Trans>
            </small>
          )}
        </button>
      ))}
    </fieldset>
  );
}

function Said({ list, who }: { list: SaidChange[] | undefined; who?: string }) {
  return list?.map((c) => {
    const sign = signs[c.sort];
    return (
      <small key={c.text} className={d.said}>
        <sign.icon size={13} stroke={1.75} className={d[sign.look]} aria-hidden />
        {who ? `${who}: ${c.text}` : c.text}
      </small>
    );
  });
}
