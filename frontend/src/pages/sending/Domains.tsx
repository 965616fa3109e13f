import { useLingui } from "@lingui/react/macro";
import { Badge, Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus, IconWorldCheck } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import { type Domain, type DomainCheck, domainsQuery } from "@/api/sending";
import { useCan } from "@/api/session";
import { sendersQuery } from "@/api/settings";
import { FormDialog } from "@/pages/settings/FormDialog";
import classes from "@/pages/settings/settings.module.css";
import { CopyText } from "@/ui/CopyText";
import { Empty } from "@/ui/Empty";
import { useFormat } from "@/ui/format";
import { RowsPanel } from "@/ui/RowsPanel";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import own from "./sending.module.css";
import { useSendingWords } from "./words";

/** The domains mails come from: what to publish, and what is published. */
export function Domains({ locked }: { locked: boolean }) {
  const { t } = useLingui();
  const may = useCan()("senders.write") && !locked;
  const domains = useQuery(domainsQuery);
  const [adding, setAdding] = useState(false);
  const add = (
    <Button size="sm" leftSection={<IconPlus size={14} stroke={2} aria-hidden />} onClick={() => setAdding(true)}>
      {t`Add a domain`}
    </Button>
  );
  return (
    <>
      <RowsPanel
        title={t`Domains`}
        actions={may && add}
        rows={domains}
        empty={
          <Empty
            compact
            icon={IconWorldCheck}
            title={t`Which domain do mails come from?`}
            text={t`Mailboxes believe a mail when its domain says who may send for it. Add the address you write from, and see what to publish.`}
          />
        }
      >
        {(domain) => <DomainLine key={domain.name} domain={domain} locked={locked} />}
      </RowsPanel>
      {adding && <DomainDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function DomainLine({ domain, locked }: { domain: Domain; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const [busy, setBusy] = useState(false);
  const { name, checks } = domain;
  const seen = checks.filter((one) => one.state !== "unseen");
  const good = seen.filter((one) => one.state === "good").length;
  const check = async () => {
    setBusy(true);
    try {
      await ask(api.POST("/domains/{name}/check", { params: { path: { name } } }));
    } catch (error) {
      toast.failed(isProblem(error) ? error : undefined);
    } finally {
      await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
      setBusy(false);
    }
  };
  return (
    <section className={classes.line} aria-label={name} data-testid={`domain-${name}`}>
      <span className={classes.lineText}>
        {name}
        <small>
          {domain.checked_at
            ? t`Looked at ${format.moment(domain.checked_at)}: ${good} of ${seen.length} records are right.`
            : t`Not looked at yet. Check it to see what to publish.`}
        </small>
      </span>
      {domain.checked_at && (
        <Badge data-tone={domain.signing ? "ok" : "warning"}>
          {domain.signing ? t`Mails are signed` : t`Mails are not signed`}
        </Badge>
      )}
      {!locked && (
        <Button size="sm" loading={busy} onClick={check} aria-label={t`Check ${name} now`}>
          {t`Check now`}
        </Button>
      )}
      {checks.map((one) => (
        <Record key={`${one.kind} ${one.host}`} check={one} />
      ))}
    </section>
  );
}

const tones = { good: "ok", missing: "warning", wrong: "error", unreachable: "ghost", unseen: "ghost" } as const;

/** One record: its state in words, and what to enter at whoever keeps the domain. */
function Record({ check }: { check: DomainCheck }) {
  const { t } = useLingui();
  const words = useSendingWords();
  return (
    <div className={own.record} data-testid={`record-${check.kind}`}>
      <h4>
        {words.record(check.kind)}
        <Badge data-tone={tones[check.state]}>{words.state(check.state)}</Badge>
      </h4>
      {check.state === "wrong" && <p className="meta">{words.wrong(check.kind)}</p>}
      {check.state === "unseen" && (
        <p className="meta">
          {t`Amazon draws three names for its keys, which nobody can ask for from outside. Copy the CNAME records from the SES console, under Identities, and see there that DKIM is successful.`}
        </p>
      )}
      <dl>
        {check.state !== "good" && check.state !== "unseen" && (
          <>
            <Value term={t`Name`} value={check.host} label={t`Copy the name of the record`} />
            <Value term={t`TXT value`} value={check.want} label={t`Copy the value of the record`} />
          </>
        )}
        {check.found && <Value term={t`Found`} value={check.found} />}
      </dl>
    </div>
  );
}

function Value({ term, value, label }: { term: string; value: string; label?: string }) {
  return (
    <div className={own.value}>
      <dt>{term}</dt>
      <dd>
        <code>{value}</code>
      </dd>
      {label && <CopyText value={value} label={label} />}
    </div>
  );
}

/** A domain comes with the first address that writes from it. */
function DomainDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const form = useForm({ initialValues: { email: "", name: "" } });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async ({ email, name }) => {
    forgive();
    try {
      const sender = await ask(api.POST("/senders", { body: { email, is_default: false, ...(name ? { name } : {}) } }));
      const domain = sender.email.slice(sender.email.lastIndexOf("@") + 1);
      await ask(api.POST("/domains/{name}/check", { params: { path: { name: domain } } })).catch(toast.failed);
      void client.invalidateQueries({ queryKey: sendersQuery.queryKey });
      await client.invalidateQueries({ queryKey: domainsQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <FormDialog
      title={t`Add a domain`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Add and look`}
      refusal={refusal}
    >
      <TextInput
        label={t`Address you write from`}
        description={t`Its domain is looked at; the address becomes a sender.`}
        type="email"
        placeholder="hello@example.com"
        required
        withAsterisk={false}
        data-autofocus
        {...form.getInputProps("email")}
      />
      <TextInput label={t`Name people see`} {...form.getInputProps("name")} />
    </FormDialog>
  );
}
