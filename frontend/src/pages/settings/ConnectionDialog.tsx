import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";
import { type Connection, type ConnectionKind, connectionsQuery } from "@/api/settings";
import { useRefusal } from "@/ui/useRefusal";
import { useKindName } from "./ConnectionsSettings";
import { FormDialog } from "./FormDialog";
import classes from "./settings.module.css";

interface DialogProps {
  connection: Connection | undefined;
  onClose: () => void;
}

/** Adds a connection or changes one. A secret that is left empty stays what it is. */
export function ConnectionDialog({ connection, onClose }: DialogProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const kindName = useKindName();
  const form = useForm({
    initialValues: {
      kind: connection?.kind ?? ("http" as ConnectionKind),
      name: connection?.name ?? "",
      base_url: connection?.base_url ?? "",
      chat: connection?.chat ?? "",
      token: "",
      signing_secret: "",
      headers: (connection?.headers ?? []).map((name) => ({ name, value: "", saved: true })),
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const { kind } = form.values;
  const submit = form.onSubmit(async (values) => {
    forgive();
    const body: Schemas["ConnectionPatch"] = { name: values.name };
    if (kind === "http" || connection?.base_url) body.base_url = values.base_url;
    if (kind === "telegram") body.chat = values.chat;
    if (kind === "http")
      body.headers = values.headers.map(({ name, value, saved }) =>
        saved && value === "" ? { name } : { name, value },
      );
    if (values.token) body.token = values.token;
    if (values.signing_secret) body.signing_secret = values.signing_secret;
    try {
      if (connection) await ask(api.PATCH("/connections/{id}", { params: { path: { id: connection.id } }, body }));
      else await ask(api.POST("/connections", { body: { ...body, kind, name: values.name } }));
      await client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });
  const kept = t`saved, leave empty to keep`;
  const secret = { autoComplete: "off", visibilityToggleButtonProps: { "aria-label": t`Show what is typed` } } as const;
  const token = {
    ...secret,
    placeholder: connection?.has_token ? kept : undefined,
    ...form.getInputProps("token"),
  };
  return (
    <FormDialog
      title={connection ? t`Change the connection` : t`Add a connection`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Save the connection`}
      refusal={refusal}
    >
      {!connection && (
        <SegmentedControl
          aria-label={t`What to connect`}
          data={(["http", "slack", "telegram", "stripe"] as const).map((value) => ({
            value,
            label: kindName(value),
          }))}
          {...form.getInputProps("kind")}
        />
      )}
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps("name")} />
      {(kind === "http" || connection?.base_url) && (
        <TextInput
          label={t`Address`}
          placeholder="https://api.example.com/v1"
          description={kind === "http" ? t`Steps add their own path behind it.` : undefined}
          {...form.getInputProps("base_url")}
        />
      )}
      {kind === "slack" && (
        <PasswordInput
          label={t`Address of the incoming webhook`}
          description={t`Slack shows it when you add “Incoming Webhooks” to a channel.`}
          {...token}
        />
      )}
      {kind === "telegram" && (
        <>
          <PasswordInput
            label={t`Token of the bot`}
            description={t`BotFather gives it. Add the bot to the chat.`}
            {...token}
          />
          <TextInput
            label={t`Chat`}
            placeholder="-1001234567890"
            description={t`Its number, or @ and the name of a channel.`}
            {...form.getInputProps("chat")}
          />
        </>
      )}
      {kind === "stripe" && (
        <>
          <PasswordInput
            label={t`Secret key`}
            description={t`Best a restricted key that may write prices and payment links.`}
            {...token}
          />
          <PasswordInput
            label={t`Signing secret of the webhook`}
            description={t`Stripe shows it with the webhook. You can add it later.`}
            {...secret}
            placeholder={connection?.has_signing_secret ? kept : undefined}
            {...form.getInputProps("signing_secret")}
          />
        </>
      )}
      {kind === "http" && (
        <>
          {form.values.headers.map((header, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header has no other identity while its name is typed
            <div className={classes.header} key={i}>
              <TextInput
                aria-label={t`Name of header ${i + 1}`}
                placeholder="X-Api-Key"
                {...form.getInputProps(`headers.${i}.name`)}
              />
              <PasswordInput
                aria-label={t`Value of header ${i + 1}`}
                {...secret}
                placeholder={header.saved ? kept : undefined}
                {...form.getInputProps(`headers.${i}.value`)}
              />
              <ActionIcon aria-label={t`Remove header ${i + 1}`} onClick={() => form.removeListItem("headers", i)}>
                <IconX size={14} stroke={1.75} />
              </ActionIcon>
            </div>
          ))}
          <div className={classes.buttons}>
            <Button
              size="sm"
              leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
              onClick={() => form.insertListItem("headers", { name: "", value: "", saved: false })}
            >
              {t`Add a header with a key`}
            </Button>
          </div>
        </>
      )}
    </FormDialog>
  );
}
