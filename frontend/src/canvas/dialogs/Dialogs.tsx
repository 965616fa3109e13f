import { lazy, Suspense } from "react";
import { useEditor } from "../store";
import { ConflictDialog } from "./ConflictDialog";
import { ContextMenu } from "./ContextMenu";
import { DeleteDialog } from "./DeleteDialog";
import { DropMenu } from "./DropMenu";
import { Palette } from "./Palette";
import { PublishDialog } from "./PublishDialog";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { TestEventDialog } from "./TestEventDialog";
import { TextsDialog } from "./TextsDialog";
import { VersionsDialog } from "./VersionsDialog";
import { WhyDialog } from "./WhyDialog";

const MailFull = lazy(() => import("@/mail/MailFull"));

/** Whatever is open over the editor; one at a time. */
export function Dialogs() {
  const dialog = useEditor((s) => s.dialog);
  switch (dialog?.kind) {
    case "delete":
      return <DeleteDialog steps={dialog.steps} />;
    case "publish":
      return <PublishDialog key={dialog.version ?? 0} version={dialog.version} />;
    case "why":
      return <WhyDialog />;
    case "test-event":
      return <TestEventDialog />;
    case "texts":
      return <TextsDialog step={dialog.step} />;
    case "versions":
      return <VersionsDialog />;
    case "conflict":
      return <ConflictDialog />;
    case "shortcuts":
      return <ShortcutsDialog />;
    case "palette":
      return <Palette of={dialog.of} />;
    case "menu":
      return <ContextMenu key={`${dialog.x}/${dialog.y}`} {...dialog} />;
    case "drop":
      return <DropMenu {...dialog} />;
    case "mail":
      return (
        <Suspense fallback={null}>
          <MailFull id={dialog.step} />
        </Suspense>
      );
    default:
      return null;
  }
}
