import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Menu, Switch } from "@mantine/core";
import { IconPlus, IconWebhook } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { type Webhook, webhooksQuery } from "@/api/consent";
import { useCan } from "@/api/session";
import { CopyText } from "@/ui/CopyText";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import classes from "./settings.module.css";
import { WebhookDialog } from "./WebhookDialog";
import { WebhookLog } from "./WebhookLog";

/** Addresses of the customer's own systems that hear what happens. */
export function WebhooksSettings() {
  const { t } = useLingui();
  const write = useCan()("connections.write");
  const webhooks = useQuery(webhooksQuery);
  const [editing, setEditing] = useState<Webhook | "new">();
  const [secret, setSecret] = useState<string>();
  return (
    <Panel
      title={t`Webhooks`}
      flush
      actions={
        write && (
          <Button
            size="sm"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            onClick={() => setEditing("new")}
          >
            {t`Add a webhook`}
          </Button>
        )
      }
    >
      {secret && (
        <div className={classes.line}>
          <div className={classes.form} style={{ flex: 1, maxWidth: "none" }}>
            <p>{t`The secret your system checks signatures with. Copy it now; it is never shown again.`}</p>
            <p className={classes.secret}>
              <code data-testid="webhook-secret">{secret}</code>
              <CopyText value={secret} label={t`Copy the secret`} />
            </p>
          </div>
        </div>
      )}
      {webhooks.error ? (
        <Failure error={webhooks.error} reset={() => webhooks.refetch()} compact />
      ) : webhooks.isPending ? (
        <RowSkeletons rows={2} />
      ) : webhooks.data.length === 0 ? (
        <Empty
          compact
          icon={IconWebhook}
          title={t`Tell your own system what happens`}
          text={t`Delivered, clicked, goal reached, unsubscribed: your address hears it within a second, signed as Standard Webhooks says, and again for three days while it does not answer.`}
        />
      ) : (
        webhooks.data.map((webhook) => (
          <WebhookLine
            key={webhook.id}
            webhook={webhook}
            locked={!write}
            onEdit={() => setEditing(webhook)}
            onSecret={setSecret}
          />
        ))
      )}
      {editing && (
        <WebhookDialog
          webhook={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSecret={setSecret}
        />
      )}
    </Panel>
  );
}

interface LineProps {
  webhook: Webhook;
  locked: boolean;
  onEdit: () => void;
  onSecret: (secret: string) => void;
}

function WebhookLine({ webhook, locked, onEdit, onSecret }: LineProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const [log, setLog] = useState(false);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<{ ok: boolean; answer: string }>();
  const { id, url } = webhook;
  const path = { params: { path: { id } } };
  const name = webhook.description || url;
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const attempt = async (call: () => Promise<unknown>) => {
    try {
      await call();
      await refresh();
    } catch (error) {
      toast.failed(error);
    }
  };
  const test = async () => {
    setBusy(true);
    setAnswer(undefined);
    await attempt(async () => setAnswer(await ask(api.POST("/webhooks/{id}/test", path))));
    setBusy(false);
  };
  const rotate = () =>
    confirm({
      title: t`Change the secret of ${name}?`,
      text: t`The old one signs too for a day, so that your system can change over in peace.`,
      action: t`Change the secret`,
      run: () => attempt(async () => onSecret((await ask(api.POST("/webhooks/{id}/rotate", path))).secret)),
    });
  const remove = () =>
    confirm({
      title: t`Remove the webhook ${name}?`,
      text: t`What it has not heard yet is not told any more. This cannot be taken back.`,
      action: t`Remove the webhook`,
      run: () => attempt(() => ask(api.DELETE("/webhooks/{id}", path))),
    });
  return (
    <div className={classes.line} data-testid="webhook">
      {dialog}
      <span className={classes.lineText}>
        {name}
        <small>
          {[
            webhook.description ? url : "",
            webhook.events.length === 0 ? t`everything` : webhook.events.join(", "),
            webhook.queued ? t`${webhook.queued} waiting` : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </small>
      </span>
      {webhook.reason === "gone" && <Badge data-tone="error">{t`Answered that it is gone`}</Badge>}
      {webhook.dead > 0 && <Badge data-tone="error">{t`${webhook.dead} given up`}</Badge>}
      <Switch
        aria-label={t`Tell ${name}`}
        checked={webhook.enabled}
        disabled={locked}
        onChange={(event) => {
          const enabled = event.currentTarget.checked;
          attempt(() => ask(api.PATCH("/webhooks/{id}", { ...path, body: { enabled } })));
        }}
      />
      {!locked && (
        <Button size="sm" loading={busy} onClick={test} aria-label={t`Test ${name}`}>
          {t`Test`}
        </Button>
      )}
      <Button size="sm" onClick={() => setLog((open) => !open)} aria-expanded={log} aria-label={t`Log of ${name}`}>
        {t`Log`}
      </Button>
      {!locked && (
        <Menu position="bottom-end" width={200}>
          <Menu.Target>
            <Button size="sm" variant="subtle" aria-label={t`More about ${name}`}>
              …
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={onEdit}>{t`Change…`}</Menu.Item>
            <Menu.Item onClick={rotate}>{t`Change the secret…`}</Menu.Item>
            <Menu.Item onClick={remove}>{t`Remove…`}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {answer && (
        <p className={answer.ok ? classes.good : classes.refusal} role="status" style={{ flexBasis: "100%" }}>
          {answer.answer}
        </p>
      )}
      {log && <WebhookLog webhook={webhook} locked={locked} />}
    </div>
  );
}
