import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { remove } from "../commands";
import { type RemoveHow, removedBy } from "../document";
import { titleOf } from "../kinds";
import { linkAt, portsOf, stepById } from "../ports";
import { set, useEditor, useEditorStore } from "../store";
import { word } from "../words";
import d from "./dialogs.module.css";

/** What to keep when a fork goes: one of its branches, or nothing. Says how many steps go each time. */
export function DeleteDialog({ step: id }: { step: string }) {
  const store = useEditorStore();
  const doc = useEditor((s) => s.doc);
  const catalogue = useEditor((s) => s.catalogue);
  const step = stepById(doc.graph, id);
  const close = () => set(store, { dialog: undefined });
  if (!step) return null;
  const ways = portsOf(catalogue, step).filter((p) => linkAt(doc.graph, id, p.id));
  const gone = (how: RemoveHow) => removedBy(doc.graph, id, how).size - 1;
  const title = titleOf(step, catalogue, doc);
  return (
    <Modal opened onClose={close} title={<Trans>Remove “{title}”</Trans>}>
      <div className={d.stack}>
        <p className={d.lead}>
          <Trans>This step divides the way. What should stay of what follows?</Trans>
        </p>
        {ways.map((p) => {
          const n = gone({ keep: p.id });
          const name = word(`port.${p.id}`, p.label || p.id);
          return (
            <button key={p.id} type="button" className={d.choice} onClick={() => remove(store, id, { keep: p.id })}>
              <b>
                <Trans>Keep the branch “{name}”</Trans>
              </b>
              <small>
                {n === 0 ? (
                  <Trans>Nothing else goes.</Trans>
                ) : (
                  plural(n, { one: "# other step goes.", other: "# other steps go." })
                )}
              </small>
            </button>
          );
        })}
        <button type="button" className={`${d.choice} ${d.danger}`} onClick={() => remove(store, id, "all")}>
          <b>
            <Trans>Remove everything below</Trans>
          </b>
          <small>{plural(gone("all"), { one: "# other step goes.", other: "# other steps go." })}</small>
        </button>
        <div className={d.foot}>
          <Button onClick={close}>
            <Trans>Keep everything</Trans>
          </Button>
        </div>
      </div>
    </Modal>
  );
}
