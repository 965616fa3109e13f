import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconAlertTriangle, IconCheck, IconCloudOff } from "@tabler/icons-react";
import { useFormat } from "@/ui/format";
import { useAutosave } from "./Editor";
import e from "./editor.module.css";
import { set, useEditor, useEditorStore } from "./store";

/** Always says where the changes are: here, on their way, on the server. */
export function SaveState() {
  const format = useFormat();
  const saver = useAutosave();
  const store = useEditorStore();
  const save = useEditor((s) => s.save);
  switch (save.state) {
    case "pending":
    case "saving":
      return (
        <output className={e.saved} data-testid="save-state" data-state={save.state}>
          <Trans>Saving…</Trans>
        </output>
      );
    case "saved": {
      const at = new Date(save.at);
      // The hour today, the day before.
      const savedAt = format.dayKey(at) === format.dayKey(new Date()) ? format.time(at) : format.day(at);
      return (
        <output className={`${e.saved} ${e.savedOk}`} data-testid="save-state" data-state="saved">
          <IconCheck size={14} stroke={1.75} />
          <Trans>Saved {savedAt}</Trans>
        </output>
      );
    }
    case "offline":
      return (
        <button
          type="button"
          className={`${e.badge} ${e.badgeWarn}`}
          data-testid="save-state"
          data-state="offline"
          onClick={() => void saver?.flush()}
        >
          <IconCloudOff size={14} stroke={1.75} />
          {plural(save.changes, { one: "Offline, # change kept here", other: "Offline, # changes kept here" })}
        </button>
      );
    case "conflict":
      return (
        <button
          type="button"
          className={`${e.badge} ${e.badgeError}`}
          data-testid="save-state"
          data-state="conflict"
          onClick={() => set(store, { dialog: { kind: "conflict" } })}
        >
          <IconAlertTriangle size={14} stroke={1.75} />
          <Trans>Conflict</Trans>
        </button>
      );
    default:
      return (
        <output className={`${e.saved} ${e.savedBad}`} title={save.why} data-testid="save-state" data-state="refused">
          <IconAlertTriangle size={14} stroke={1.75} />
          <Trans>Not saved: {save.why}</Trans>
        </output>
      );
  }
}
