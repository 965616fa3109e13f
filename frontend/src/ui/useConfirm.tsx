import { useLingui } from "@lingui/react/macro";
import { Button, Group, Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";

interface Question {
  title: ReactNode;
  /** What will happen, to how many, and that it cannot be taken back. */
  text: ReactNode;
  /** Verb and object. */
  action: ReactNode;
  run: () => Promise<unknown> | undefined;
}

/** Asks before what cannot be undone; what can is done at once and offers Undo. */
export function useConfirm(): [ReactNode, (question: Question) => void] {
  const { t } = useLingui();
  const [question, setQuestion] = useState<Question>();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);

  const dialog = (
    <Modal
      opened={open}
      onClose={() => setOpen(false)}
      title={question?.title}
      size={440}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <p>{question?.text}</p>
      <Group justify="flex-end" gap={8} mt={20}>
        <Button variant="subtle" onClick={() => setOpen(false)}>
          {t`Cancel`}
        </Button>
        <Button
          variant="danger"
          loading={busy}
          onClick={async () => {
            setBusy(true);
            try {
              await question?.run();
              setOpen(false);
            } finally {
              setBusy(false);
            }
          }}
        >
          {question?.action}
        </Button>
      </Group>
    </Modal>
  );
  const confirm = (next: Question) => {
    setQuestion(next);
    setOpen(true);
  };
  return [dialog, confirm];
}
