import { useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  correctMessages,
  holdMessages,
  type OutboxGroup,
  outboxCreativeQuery,
  releaseMessages,
  selectionOf,
} from "@/api/outbox";
import type { CatalogueData, Creative } from "@/canvas/types";
import { CreativeEditor } from "@/mail/CreativeEditor";
import { useToast } from "@/ui/toast";
import classes from "./outbox.module.css";

interface CorrectProps {
  group: OutboxGroup;
  data: CatalogueData;
  close: () => void;
}

/** The message once more in its editor. While one writes, the messages are held, so that none leaves with the old words. */
export function Correct({ group, data, close }: CorrectProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const all = selectionOf(group);
  const { data: creative } = useQuery(outboxCreativeQuery(group.message_id));
  const holding = useQuery({
    queryKey: ["outbox", "holding", group.message_id],
    queryFn: () => holdMessages(all),
    gcTime: 0,
  });
  const [changed, setChanged] = useState<Creative>();
  const save = useMutation({
    mutationFn: async (go: boolean) => {
      const done = await correctMessages(all, (changed ?? creative) as never);
      if (go) await releaseMessages(all);
      return done;
    },
    onSuccess: () => {
      toast.show({ title: t`The messages say the corrected words` });
      close();
    },
    onError: (error) => toast.failed(error),
    onSettled: () => client.invalidateQueries({ queryKey: ["outbox"] }),
  });
  return (
    <Modal
      opened
      size={1040}
      title={t`Correct “${group.step || group.name}”`}
      onClose={close}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {creative && holding.isSuccess && (
        <CreativeEditor creative={creative as Creative} data={data} onChange={setChanged} />
      )}
      <div className={classes.foot}>
        <span className="meta">{t`They are held meanwhile.`}</span>
        <Button disabled={!changed} loading={save.isPending} onClick={() => save.mutate(false)}>
          {t`Correct and keep holding`}
        </Button>
        <Button variant="filled" disabled={!changed} loading={save.isPending} onClick={() => save.mutate(true)}>
          {t`Correct and let them go`}
        </Button>
      </div>
    </Modal>
  );
}
