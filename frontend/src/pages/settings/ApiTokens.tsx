import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Checkbox, Modal, Radio, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { type ApiToken, type TokenScope, tokensQuery } from "@/api/settings";
import { CopyText } from "@/ui/CopyText";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useRefusal } from "@/ui/useRefusal";
import { FormDialog } from "./FormDialog";
import classes from "./settings.module.css";

interface ApiTokensProps {
  /** The secret of the token just made; it is never shown again. */
  secret?: string;
  onSecret: (secret: string | undefined) => void;
}

export function ApiTokens({ secret, onSecret }: ApiTokensProps) {
  const { t } = useLingui();
  const [making, make] = useDisclosure(false);
  const tokens = useQuery(tokensQuery);
  return (
    <Panel
      title={t`Keys`}
      flush
      actions={
        <Button size="sm" leftSection={<IconPlus size={14} stroke={2} aria-hidden />} onClick={make.open}>
          {t`Make a key`}
        </Button>
      }
    >
      {secret && !making && (
        <div className={classes.line}>
          <div className={classes.form} style={{ flex: 1, maxWidth: "none" }}>
            <p>{t`Your new key. Copy it now; it is never shown again.`}</p>
            <p className={classes.secret}>
              <code data-testid="secret">{secret}</code>
              <CopyText value={secret} label={t`Copy the key`} />
            </p>
          </div>
        </div>
      )}
      {tokens.error ? (
        <Failure error={tokens.error} reset={() => tokens.refetch()} compact />
      ) : tokens.isPending ? (
        <RowSkeletons rows={2} />
      ) : tokens.data.length === 0 ? (
        <Empty
          compact
          icon={IconKey}
          title={t`No key yet`}
          text={t`A key lets your shop or app in. Give each program its own, so that you can take one back alone.`}
        />
      ) : (
        tokens.data.map((token) => <TokenLine key={token.id} token={token} />)
      )}
      {making && <TokenDialog onClose={make.close} onSecret={onSecret} />}
    </Panel>
  );
}

function TokenLine({ token }: { token: ApiToken }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const scopeName = useScopeName();
  const [dialog, confirm] = useConfirm();
  const revoke = () =>
    confirm({
      title: t`Take back the key “${token.name}”?`,
      text: t`Every program that uses it is refused at once. This cannot be taken back.`,
      action: t`Take back the key`,
      run: async () => {
        try {
          await ask(api.DELETE("/api-tokens/{id}", { params: { path: { id: token.id } } }));
          await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
          toast.show({ title: t`The key “${token.name}” no longer works` });
        } catch (error) {
          toast.failed(error);
        }
      },
    });
  return (
    <div className={classes.line}>
      {dialog}
      <span className={classes.lineText}>
        {token.name}
        <small>
          {token.prefix}… {token.last_used_at ? t`used ${format.ago(token.last_used_at)}` : t`not used yet`}
        </small>
      </span>
      {token.kind === "pub" ? (
        <Badge variant="outline">{t`Only sends events`}</Badge>
      ) : (
        token.scopes.map((scope) => (
          <Badge key={scope} variant="outline">
            {scopeName(scope)}
          </Badge>
        ))
      )}
      <Button size="sm" variant="subtle" aria-label={t`Take back “${token.name}”`} onClick={revoke}>
        {t`Take back…`}
      </Button>
    </div>
  );
}

const scopes: readonly TokenScope[] = ["events", "read", "write", "publish", "operate", "admin"];

function useScopeName() {
  const { t } = useLingui();
  const names: Record<TokenScope, string> = {
    events: t`sends events`,
    read: t`reads`,
    write: t`changes people and funnels`,
    publish: t`publishes funnels`,
    operate: t`pauses and mends`,
    admin: t`manages the workspace`,
  };
  return (scope: TokenScope) => names[scope];
}

function TokenDialog({ onClose, onSecret }: { onClose: () => void; onSecret: (secret: string) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const scopeName = useScopeName();
  const [made, setMade] = useState<string>();
  const form = useForm({
    initialValues: { name: "", kind: "live" as "live" | "pub", scopes: ["events"] as TokenScope[] },
    validate: {
      name: (value) => (value.trim() ? null : t`Name the program that will use it.`),
      scopes: (value, values) => (values.kind === "pub" || value.length > 0 ? null : t`Choose what it may do.`),
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async ({ name, kind, scopes: chosen }) => {
    forgive();
    try {
      const { secret } = await ask(
        api.POST("/api-tokens", { body: { name: name.trim(), kind, ...(kind === "live" ? { scopes: chosen } : {}) } }),
      );
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
      setMade(secret);
      onSecret(secret);
    } catch (error) {
      refuse(error);
    }
  });
  if (made)
    return (
      <Modal opened onClose={onClose} title={t`Your new key`} closeButtonProps={{ "aria-label": t`Close` }}>
        <div className={classes.form}>
          <p>{t`Copy it now; it is never shown again.`}</p>
          <p className={classes.secret}>
            <code data-testid="secret">{made}</code>
            <CopyText value={made} label={t`Copy the key`} />
          </p>
          <div className={classes.buttons}>
            <Button onClick={onClose} data-autofocus>
              {t`Done`}
            </Button>
          </div>
        </div>
      </Modal>
    );
  return (
    <FormDialog
      title={t`Make a key`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Make the key`}
      refusal={refusal}
    >
      <TextInput
        label={t`Which program will use it?`}
        placeholder={t`our shop`}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Radio.Group label={t`Where it lives`} {...form.getInputProps("kind")}>
        <div className={classes.scopes} style={{ marginTop: 8 }}>
          <Radio value="live" label={t`On a server, kept secret`} />
          <Radio value="pub" label={t`In a web page, where anybody can read it; it can only send events`} />
        </div>
      </Radio.Group>
      {form.values.kind === "live" && (
        <Checkbox.Group label={t`What it may do`} {...form.getInputProps("scopes")}>
          <div className={classes.scopes} style={{ marginTop: 8 }}>
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={scopeName(scope)} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </FormDialog>
  );
}
