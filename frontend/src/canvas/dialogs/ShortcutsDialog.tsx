import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import { type Command, commands, type Group } from "../commands";
import { keyParts } from "../keyNames";
import { set, useEditorStore } from "../store";
import d from "./dialogs.module.css";

const groups: [Group, MessageDescriptor][] = [
  ["steps", msg`Steps`],
  ["history", msg`Undo and redo`],
  ["choose", msg`Choose and find`],
  ["picture", msg`Picture and notes`],
  ["funnel", msg`Funnel`],
];

/** The keys of all commands, from the one list of commands. */
export function ShortcutsDialog() {
  const { t } = useLingui();
  const store = useEditorStore();
  return (
    <Modal opened size={760} onClose={() => set(store, { dialog: undefined })} title={t`Keyboard shortcuts`}>
      <div className={d.sheet} data-testid="shortcuts">
        {groups.map(([group, title]) => (
          <section key={group} className={d.sheetGroup}>
            <h3>{t(title)}</h3>
            {commands
              .filter((c) => c.group === group)
              .map((c) => (
                <KeyRow key={c.id} of={c} />
              ))}
          </section>
        ))}
      </div>
    </Modal>
  );
}

function KeyRow({ of }: { of: Command }) {
  const { t } = useLingui();
  return (
    <div className={d.keyRow} data-command={of.id}>
      <span>{t(of.title)}</span>
      <span className={d.keyParts}>
        {keyParts(of.keys[0] ?? "").map((k) => (
          <kbd key={k}>{k}</kbd>
        ))}
      </span>
    </div>
  );
}
