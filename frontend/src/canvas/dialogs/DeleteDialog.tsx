import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useMemo, useState } from "react";
import type { RemoveHow } from "../document";
import { remove } from "../edits";
import { titleOf } from "../kinds";
import { linkAt, portsOf, stepById } from "../ports";
import { forksToAsk, goneWith } from "../region";
import { set, useEditor, useEditorStore } from "../store";
import { portLabel } from "../words/ports";
import d from "./dialogs.module.css";
import { MiniPicture } from "./MiniPicture";

interface Choice {
  key: string;
  how: RemoveHow;
  title: React.ReactNode;
  danger?: boolean;
}

/** What to keep when forks go: one of the branches, or nothing. Each choice names what goes and shows what stays. */
export function DeleteDialog({ steps }: { steps: string[] }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const doc = useEditor((s) => s.doc);
  const catalogue = useEditor((s) => s.catalogue);
  const [over, setOver] = useState(0);
  const close = () => set(store, { dialog: undefined });
  const choices = useMemo(() => {
    const forks = forksToAsk(doc, catalogue, steps);
    const fork = forks.length === 1 ? stepById(doc.graph, forks[0] ?? "") : undefined;
    const ways = fork ? portsOf(catalogue, fork).filter((p) => linkAt(doc.graph, fork.id, p.id)) : [];
    const list: Choice[] = ways.map((p) => ({
      key: p.id,
      how: { keep: p.id },
      title: <Trans>Keep the branch “{portLabel(p.id, p.label || p.id)}”</Trans>,
    }));
    if (!fork) list.push({ key: "", how: { keep: "" }, title: <Trans>Keep the first branch of each</Trans> });
    list.push({ key: "all", how: "all", title: <Trans>Remove everything below</Trans>, danger: true });
    const named = new Set(steps);
    return list.map((c) => {
      const gone = goneWith(doc, catalogue, steps, c.how);
      return { ...c, gone: new Set(gone), others: gone.filter((id) => !named.has(id)) };
    });
  }, [doc, catalogue, steps]);
  const nameOf = (id: string) => {
    const step = stepById(doc.graph, id);
    return step ? titleOf(step, catalogue, doc) : id;
  };
  const title = steps.length === 1 ? nameOf(steps[0] ?? "") : "";
  const shown = choices[over] ?? choices[0];
  return (
    <Modal
      opened
      size={760}
      onClose={close}
      title={
        title ? (
          <Trans>Remove “{title}”</Trans>
        ) : (
          plural(steps.length, { one: "Remove # step", other: "Remove # steps" })
        )
      }
    >
      <div className={d.sides}>
        <div className={d.stack}>
          <p className={d.lead}>
            <Trans>The way divides here. What should stay of what follows?</Trans>
          </p>
          {choices.map((c, i) => (
            <button
              key={c.key}
              type="button"
              className={`${d.choice} ${c.danger ? d.danger : ""}`}
              data-testid={`keep-${c.key}`}
              onPointerEnter={() => setOver(i)}
              onFocus={() => setOver(i)}
              onClick={() => remove(store, steps, c.how)}
            >
              <b>{c.title}</b>
              <small>
                {c.others.length === 0 ? (
                  <Trans>Nothing else goes.</Trans>
                ) : (
                  plural(c.others.length, { one: "# other step goes: ", other: "# other steps go: " })
                )}
                {c.others.slice(0, 3).map(nameOf).join(", ")}
                {c.others.length > 3 && "…"}
              </small>
            </button>
          ))}
        </div>
        <figure className={d.preview} data-testid="removal-preview">
          {shown && <MiniPicture gone={shown.gone} label={t`What stays and what goes`} />}
          <figcaption>
            <Trans>Crossed out: what goes</Trans>
          </figcaption>
        </figure>
      </div>
      <div className={d.foot}>
        <Button onClick={close}>
          <Trans>Keep everything</Trans>
        </Button>
      </div>
    </Modal>
  );
}
