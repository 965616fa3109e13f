import { useLingui } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import { commands } from "../commands";
import { set, useEditorStore } from "../store";
import d from "./dialogs.module.css";

const symbols: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Delete: "Del",
};
const mac = typeof navigator !== "undefined" && /Mac|iP/.test(navigator.platform);

/** The keys of all commands, from the one list of commands. */
export function ShortcutsDialog() {
  const { t } = useLingui();
  const store = useEditorStore();
  return (
    <Modal opened onClose={() => set(store, { dialog: undefined })} title={t`Keyboard shortcuts`}>
      <div className={d.keys}>
        {commands.map((c) => (
          <KeyRow key={c.id} title={t(c.title)} keys={c.keys[0] ?? ""} />
        ))}
      </div>
    </Modal>
  );
}

function KeyRow({ title, keys }: { title: string; keys: string }) {
  const parts = keys === "+" ? ["+"] : keys.split("+");
  return (
    <>
      <span>{title}</span>
      <span>
        {parts.map((k) => (
          <kbd key={k}>{k === "Mod" ? (mac ? "⌘" : "Ctrl") : (symbols[k] ?? k)}</kbd>
        ))}
      </span>
    </>
  );
}
