import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Menu } from "@mantine/core";
import {
  IconBrandSlack,
  IconBrandStripe,
  IconBrandTelegram,
  IconPlug,
  IconPlus,
  IconWebhook,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentType, useState } from "react";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import { type Connection, type ConnectionKind, connectionsQuery } from "@/api/settings";
import { CopyText } from "@/ui/CopyText";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { ConnectionDialog } from "./ConnectionDialog";
import classes from "./settings.module.css";

const icons: Record<ConnectionKind, ComponentType<{ size?: number; stroke?: number }>> = {
  http: IconWebhook,
  slack: IconBrandSlack,
  telegram: IconBrandTelegram,
  stripe: IconBrandStripe,
};

/** What a kind of connection is called. */
export function useKindName(): (kind: ConnectionKind) => string {
  const { t } = useLingui();
  return (kind) => ({ http: t`Web service`, slack: "Slack", telegram: "Telegram", stripe: "Stripe" })[kind];
}

/** The saved ways to other services. Their keys are entered here and never shown again. */
export function ConnectionsSettings() {
  const { t } = useLingui();
  const write = useCan()("connections.write");
  const connections = useQuery(connectionsQuery);
  const [editing, setEditing] = useState<Connection | "new">();
  const add = (
    <Button size="sm" leftSection={<IconPlus size={14} stroke={2} aria-hidden />} onClick={() => setEditing("new")}>
      {t`Add a connection`}
    </Button>
  );
  return (
    <>
      <Panel title={t`Connections`} flush actions={write && add}>
        {connections.error ? (
          <Failure error={connections.error} reset={() => connections.refetch()} compact />
        ) : connections.isPending ? (
          <RowSkeletons rows={2} />
        ) : connections.data.length === 0 ? (
          <Empty
            compact
            icon={IconPlug}
            title={t`What should funnels reach?`}
            text={t`Save a service once, with its address and keys. Steps then name it: your shop, Slack, Telegram, Stripe.`}
          />
        ) : (
          connections.data.map((connection) => (
            <ConnectionLine
              key={connection.id}
              connection={connection}
              locked={!write}
              onEdit={() => setEditing(connection)}
            />
          ))
        )}
      </Panel>
      {editing && (
        <ConnectionDialog connection={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}

interface LineProps {
  connection: Connection;
  locked: boolean;
  onEdit: () => void;
}

function ConnectionLine({ connection, locked, onEdit }: LineProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const kindName = useKindName();
  const [dialog, confirm] = useConfirm();
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<{ ok: boolean; answer: string }>();
  const path = { params: { path: { id: connection.id } } };
  const { name } = connection;
  const Icon = icons[connection.kind];

  const test = async () => {
    setBusy(true);
    setAnswer(undefined);
    try {
      setAnswer(await ask(api.POST("/connections/{id}/test", path)));
    } catch (error) {
      setAnswer({
        ok: false,
        answer: isProblem(error) && error.detail ? error.detail : t`The service does not answer.`,
      });
    } finally {
      setBusy(false);
    }
  };
  const remove = () =>
    confirm({
      title: t`Remove the connection ${name}?`,
      text: t`Its keys are deleted. A live funnel that uses it keeps it here.`,
      action: t`Remove the connection`,
      run: async () => {
        try {
          await ask(api.DELETE("/connections/{id}", path));
          await client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
          toast.show({ title: t`${name} is removed` });
        } catch (error) {
          toast.failed(error);
        }
      },
    });

  return (
    <div className={classes.line} data-testid={`connection-${connection.slug}`}>
      {dialog}
      <Icon size={18} stroke={1.75} />
      <span className={classes.lineText}>
        {name}
        <small>{[kindName(connection.kind), connection.base_url || connection.chat].filter(Boolean).join(" · ")}</small>
      </span>
      {connection.kind === "stripe" && !connection.has_signing_secret && (
        <Badge data-tone="warn">{t`Does not hear of payments yet`}</Badge>
      )}
      {!locked && (
        <>
          <Button size="sm" loading={busy} onClick={test} aria-label={t`Test ${name}`}>
            {t`Test`}
          </Button>
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <Button size="sm" variant="subtle" aria-label={t`More about ${name}`}>
                …
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onEdit}>{t`Change…`}</Menu.Item>
              <Menu.Item onClick={remove}>{t`Remove…`}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      {connection.report_url && !locked && (
        <span className={classes.lineText} style={{ flexBasis: "100%" }}>
          <small>{t`In Stripe, let a webhook send its events to:`}</small>
          <span className={classes.secret}>
            <code>{connection.report_url}</code>
            <CopyText value={connection.report_url} label={t`Copy the address`} />
          </span>
        </span>
      )}
      {answer && (
        <p className={answer.ok ? classes.good : classes.refusal} role="status" style={{ flexBasis: "100%" }}>
          {answer.answer}
        </p>
      )}
    </div>
  );
}
