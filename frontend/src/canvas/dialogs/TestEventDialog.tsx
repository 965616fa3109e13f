import { useLingui } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import { TestEvent } from "@/ui/testEvent/TestEvent";
import { set, useEditor, useEditorStore } from "../store";
import { startingEvent } from "../triggers";

/** Tries the live funnel with the event that starts it, without leaving the canvas. */
export function TestEventDialog() {
  const { t } = useLingui();
  const store = useEditorStore();
  const event = useEditor((s) => startingEvent(s.doc));
  return (
    <Modal
      opened
      onClose={() => set(store, { dialog: undefined })}
      title={t`Send a test event`}
      size="lg"
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <TestEvent event={event} />
    </Modal>
  );
}
