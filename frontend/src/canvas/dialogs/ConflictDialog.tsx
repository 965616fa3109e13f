import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { isProblem } from "@/api/problem";
import { api, type Loaded } from "../api";
import { settle } from "../autosave";
import { useAutosave } from "../Editor";
import { titleOf } from "../kinds";
import { compare } from "../proposal";
import { documentOf, set, useEditor, useEditorStore } from "../store";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";

/** Somebody else saved first. Nothing is lost whatever is chosen: mine as a copy, theirs, or mine over theirs. */
export function ConflictDialog({ current }: { current: Loaded }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const saver = useAutosave();
  const navigate = useNavigate();
  const mine = useEditor((s) => s.doc);
  const theirs = documentOf(current);
  const takeTheirs = () => {
    settle(store, current);
    saver?.taken();
    set(store, { save: { state: "idle" } });
  };
  const overwrite = () => {
    settle(store, current, mine);
    void saver?.flush();
  };
  const copy = async () => {
    try {
      const made = await api.create({ ...mine, name: t`${mine.name} (my copy)` });
      takeTheirs();
      await navigate({ to: "/funnels/$id/edit", params: { id: made.funnel.id } });
    } catch (error) {
      notifications.show({
        message: (isProblem(error) && error.detail) || t`The copy could not be made. Try again in a moment.`,
      });
    }
  };
  return (
    <Modal
      opened
      onClose={() => set(store, { dialog: undefined })}
      title={<Trans>Somebody else saved this funnel</Trans>}
    >
      <div className={d.stack}>
        <p className={d.lead}>
          <Trans>
            Since you opened it, it was saved elsewhere, perhaps in another tab. Your changes are kept here until you
            choose.
          </Trans>
        </p>
        <Differences title={t`What is different in theirs`} from={mine} to={theirs} />
        <button type="button" className={d.choice} onClick={() => void copy()}>
          <b>
            <Trans>Keep mine as a copy</Trans>
          </b>
          <small>
            <Trans>A new funnel with your changes; this one stays as theirs.</Trans>
          </small>
        </button>
        <button type="button" className={d.choice} onClick={takeTheirs}>
          <b>
            <Trans>Take theirs</Trans>
          </b>
          <small>
            <Trans>Your changes since the last save are dropped.</Trans>
          </small>
        </button>
        <button type="button" className={`${d.choice} ${d.danger}`} onClick={overwrite}>
          <b>
            <Trans>Write mine over theirs</Trans>
          </b>
          <small>
            <Trans>The draft becomes yours; what they changed is dropped. Live versions are not touched.</Trans>
          </small>
        </button>
        <div className={d.foot}>
          <Button onClick={() => set(store, { dialog: undefined })}>
            <Trans>Decide later</Trans>
          </Button>
        </div>
      </div>
    </Modal>
  );
}

function Differences({ title, from, to }: { title: string; from: FunnelDocument; to: FunnelDocument }) {
  const catalogue = useEditor((s) => s.catalogue);
  const list = compare(from, to).slice(0, 8);
  if (list.length === 0) return null;
  const name = (id: string) => {
    const step = [...to.graph.nodes, ...from.graph.nodes].find((n) => n.id === id);
    return step ? titleOf(step, catalogue, to.graph.nodes.includes(step) ? to : from) : id;
  };
  return (
    <section className={d.section}>
      <h3>{title}</h3>
      <div className={d.rows}>
        {list.map((x) => (
          <div key={x.step} className={d.row}>
            <span className="cut">{name(x.step)}</span>
            <b className={x.what === "added" ? d.added : x.what === "removed" ? d.removed : d.changed}>
              {x.what === "added" ? (
                <Trans>added</Trans>
              ) : x.what === "removed" ? (
                <Trans>removed</Trans>
              ) : (
                <Trans>changed</Trans>
              )}
            </b>
          </div>
        ))}
      </div>
    </section>
  );
}
