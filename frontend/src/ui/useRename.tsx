import { useLingui } from "@lingui/react/macro";
import { Button, Group, Modal, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";

interface Wish {
  title: string;
  name: string;
  /** Keeps the dialog open where it is refused. */
  save: (name: string) => Promise<unknown>;
}

/** Asks for another name. An empty one is refused when one tries to save, not before. */
export function useRename(): [ReactNode, (wish: Wish) => void] {
  const { t } = useLingui();
  const [wish, setWish] = useState<Wish>();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    const next = name.trim();
    if (!next) return setProblem(t`Give it a name.`);
    setBusy(true);
    try {
      if (next !== wish?.name) await wish?.save(next);
      setOpen(false);
    } finally {
      setBusy(false);
    }
  };
  const dialog = (
    <Modal
      opened={open}
      onClose={() => setOpen(false)}
      title={wish?.title}
      size={440}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save().catch(() => undefined);
        }}
      >
        <TextInput
          label={t`Name`}
          data-autofocus
          maxLength={200}
          value={name}
          error={problem}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <Group justify="flex-end" gap={8} mt={20}>
          <Button variant="subtle" onClick={() => setOpen(false)}>
            {t`Cancel`}
          </Button>
          <Button type="submit" variant="filled" loading={busy}>
            {t`Save the name`}
          </Button>
        </Group>
      </form>
    </Modal>
  );
  const ask = (next: Wish) => {
    setWish(next);
    setName(next.name);
    setProblem(undefined);
    setOpen(true);
  };
  return [dialog, ask];
}
