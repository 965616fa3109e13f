import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { IconAlertTriangle, IconCheck, IconCloudOff } from "@tabler/icons-react";
import { useAutosave } from "./Editor";
import e from "./editor.module.css";
import { useEditor } from "./store";

/** Always says where the changes are: here, on their way, on the server. */
export function SaveState() {
  const { i18n } = useLingui();
  const saver = useAutosave();
  const save = useEditor((s) => s.save);
  switch (save.state) {
    case "idle":
      return null;
    case "pending":
    case "saving":
      return (
        <output className={e.saved} data-testid="save-state" data-state={save.state}>
          <Trans>Saving…</Trans>
        </output>
      );
    case "saved":
      return (
        <output className={`${e.saved} ${e.savedOk}`} data-testid="save-state" data-state="saved">
          <IconCheck size={14} stroke={1.75} />
          <Trans>Saved {i18n.date(new Date(save.at), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })}</Trans>
        </output>
      );
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
        <output className={`${e.saved} ${e.savedBad}`} data-testid="save-state" data-state="conflict">
          <IconAlertTriangle size={14} stroke={1.75} />
          <Trans>Conflict</Trans>
        </output>
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
