import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Checkbox, Menu, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAt, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { useCan } from "@/api/session";
import { type Sender, sendersQuery } from "@/api/settings";
import { Empty } from "@/ui/Empty";
import { RowsPanel } from "@/ui/RowsPanel";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useRefusal } from "@/ui/useRefusal";
import { FormDialog } from "./FormDialog";
import classes from "./settings.module.css";

export function SendersSettings() {
  const { t } = useLingui();
  const can = useCan();
  const senders = useQuery(sendersQuery);
  const [editing, setEditing] = useState<Sender | "new">();
  const write = can("senders.write");
  const add = (
    <Button size="sm" leftSection={<IconPlus size={14} stroke={2} aria-hidden />} onClick={() => setEditing("new")}>
      {t`Add a sender`}
    </Button>
  );
  return (
    <>
      <RowsPanel
        title={t`Senders`}
        actions={write && add}
        rows={senders}
        empty={
          <Empty
            compact
            icon={IconAt}
            title={t`Who writes?`}
            text={t`A sender is the name and address people see in their mailbox, such as “Studio Aurora, hello@studioaurora.pl”.`}
          />
        }
      >
        {(sender) => <SenderLine key={sender.slug} sender={sender} locked={!write} onEdit={() => setEditing(sender)} />}
      </RowsPanel>
      {editing && (
        <SenderDialog sender={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}

function SenderLine({ sender, locked, onEdit }: { sender: Sender; locked: boolean; onEdit: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const path = { params: { path: { slug: sender.slug } } };
  const name = sender.name || sender.email;
  const attempt = async (act: () => Promise<unknown>, done: string) => {
    try {
      await act();
      await client.invalidateQueries({ queryKey: sendersQuery.queryKey });
      toast.show({ title: done });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div className={classes.line}>
      {dialog}
      <span className={classes.lineText}>
        {name}
        <small>{sender.reply_to ? t`${sender.email}, answers go to ${sender.reply_to}` : sender.email}</small>
      </span>
      {sender.is_default && <Badge data-tone="primary">{t`Used unless a step says otherwise`}</Badge>}
      {!locked && (
        <Menu position="bottom-end" width={200}>
          <Menu.Target>
            <Button size="sm" variant="subtle" aria-label={t`More about ${name}`}>
              …
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={onEdit}>{t`Change…`}</Menu.Item>
            {!sender.is_default && (
              <Menu.Item
                onClick={() =>
                  attempt(
                    () => ask(api.PATCH("/senders/{slug}", { ...path, body: { is_default: true } })),
                    t`${name} writes unless a step says otherwise`,
                  )
                }
              >
                {t`Use for every step`}
              </Menu.Item>
            )}
            <Menu.Item
              onClick={() =>
                confirm({
                  title: t`Delete the sender ${name}?`,
                  text: t`Steps that name it will show a problem until you choose another one.`,
                  action: t`Delete the sender`,
                  run: () => attempt(() => ask(api.DELETE("/senders/{slug}", path)), t`${name} is deleted`),
                })
              }
            >
              {t`Delete…`}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}

function SenderDialog({ sender, onClose }: { sender?: Sender; onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: sender?.name ?? "",
      email: sender?.email ?? "",
      reply_to: sender?.reply_to ?? "",
      is_default: sender?.is_default ?? false,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      if (sender) await ask(api.PATCH("/senders/{slug}", { params: { path: { slug: sender.slug } }, body }));
      else
        await ask(
          api.POST("/senders", {
            body: {
              email: body.email,
              is_default: body.is_default,
              ...(body.name ? { name: body.name } : {}),
              ...(body.reply_to ? { reply_to: body.reply_to } : {}),
            },
          }),
        );
      await client.invalidateQueries({ queryKey: sendersQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <FormDialog
      title={sender ? t`Change the sender` : t`Add a sender`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Save the sender`}
      refusal={refusal}
    >
      <TextInput label={t`Name people see`} data-autofocus {...form.getInputProps("name")} />
      <TextInput label={t`E-mail`} type="email" required withAsterisk={false} {...form.getInputProps("email")} />
      <TextInput
        label={t`Answers go to`}
        description={t`Empty: to the same address.`}
        type="email"
        {...form.getInputProps("reply_to")}
      />
      <Checkbox
        label={t`Use unless a step says otherwise`}
        {...form.getInputProps("is_default", { type: "checkbox" })}
      />
    </FormDialog>
  );
}
