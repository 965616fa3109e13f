import { useLingui } from "@lingui/react/macro";
import { Checkbox, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import { type Webhook, type WebhookEvent, webhooksQuery } from "@/api/consent";
import { useRefusal } from "@/ui/useRefusal";
import { FormDialog } from "./FormDialog";
import classes from "./settings.module.css";

const events: readonly WebhookEvent[] = [
  "message.sent",
  "message.delivered",
  "message.opened",
  "message.clicked",
  "message.replied",
  "message.bounced",
  "message.complained",
  "contact.unsubscribed",
  "run.started",
  "run.ended",
  "goal.reached",
];

interface DialogProps {
  webhook: Webhook | undefined;
  onClose: () => void;
  onSecret: (secret: string) => void;
}

/** Adds a webhook or changes one. No event ticked is all of them. */
export function WebhookDialog({ webhook, onClose, onSecret }: DialogProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      url: webhook?.url ?? "",
      description: webhook?.description ?? "",
      events: (webhook?.events ?? []) as WebhookEvent[],
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      if (webhook) await ask(api.PATCH("/webhooks/{id}", { params: { path: { id: webhook.id } }, body }));
      else onSecret((await ask(api.POST("/webhooks", { body }))).secret);
      await client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <FormDialog
      title={webhook ? t`Change the webhook` : t`Add a webhook`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Save the webhook`}
      refusal={refusal}
    >
      <TextInput
        label={t`Address`}
        placeholder="https://example.com/hooks/lejek"
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput label={t`What it is for`} placeholder={t`our shop`} {...form.getInputProps("description")} />
      <Checkbox.Group
        label={t`What it hears`}
        description={t`Nothing ticked is everything.`}
        {...form.getInputProps("events")}
      >
        <div className={classes.scopes} style={{ marginTop: 8, gridTemplateColumns: "1fr 1fr" }}>
          {events.map((name) => (
            <Checkbox key={name} value={name} label={<code>{name}</code>} />
          ))}
        </div>
      </Checkbox.Group>
    </FormDialog>
  );
}
