import { useLingui } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import { useState } from "react";
import { ChooseFile } from "./ChooseFile";
import { ImportProgress } from "./ImportProgress";
import { MapColumns } from "./MapColumns";

/** From a spreadsheet to people: choose the file, say what each column is, watch it go in. */
export default function ImportPeople({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [file, setFile] = useState<{ name: string; bytes: Uint8Array }>();
  const [taskId, setTaskId] = useState<string>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={file ? t`Import people from ${file.name}` : t`Import people`}
      size={file && !taskId ? 680 : 520}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {taskId ? (
        <ImportProgress taskId={taskId} onClose={onClose} />
      ) : file ? (
        <MapColumns bytes={file.bytes} onBack={() => setFile(undefined)} onStarted={setTaskId} />
      ) : (
        <ChooseFile onFile={(name, bytes) => setFile({ name, bytes })} />
      )}
    </Modal>
  );
}
