import { useLingui } from "@lingui/react/macro";
import { Badge, Button, NumberInput, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schemas } from "@/api/client";
import { type Mailbox, mailboxQuery, type TrackingDomain, trackingDomainQuery } from "@/api/consent";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { ReportSources } from "./ReportSources";
import classes from "./settings.module.css";

/** Where we learn what became of messages: the mailbox, the providers, and the domain of links. */
export function RepliesSettings() {
  const { t } = useLingui();
  const can = useCan();
  const mailbox = useQuery(mailboxQuery);
  const domain = useQuery(trackingDomainQuery);
  return (
    <>
      <Panel title={t`Mailbox for replies`}>
        {mailbox.error ? (
          <Failure error={mailbox.error} reset={() => mailbox.refetch()} compact />
        ) : mailbox.data ? (
          <MailboxForm key={String(mailbox.data.configured)} box={mailbox.data} locked={!can("providers.write")} />
        ) : (
          <RowSkeletons rows={3} />
        )}
      </Panel>
      <ReportSources />
      <Panel title={t`Domain of links`}>
        {domain.error ? (
          <Failure error={domain.error} reset={() => domain.refetch()} compact />
        ) : domain.data ? (
          <DomainForm key={domain.data.domain} domain={domain.data} locked={!can("workspace.write")} />
        ) : (
          <RowSkeletons rows={1} />
        )}
      </Panel>
    </>
  );
}

const ports = { none: 143, starttls: 143, tls: 993 } as const;

function MailboxForm({ box, locked }: { box: Mailbox; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const [answer, setAnswer] = useState<{ ok: boolean; text: string }>();
  const [busy, setBusy] = useState(false);
  const form = useForm({
    initialValues: {
      host: box.host,
      port: box.port as number | string,
      security: box.security as Schemas["MailboxSecurity"],
      username: box.username,
      password: "",
      folder: box.folder,
      address: box.address,
      active: box.configured ? box.active : true,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async ({ password, port, ...rest }) => {
    forgive();
    setAnswer(undefined);
    try {
      const saved = await ask(
        api.PUT("/mailbox", { body: { ...rest, port: Number(port), ...(password ? { password } : {}) } }),
      );
      client.setQueryData(mailboxQuery.queryKey, saved);
      form.setFieldValue("password", "");
      toast.show({ title: t`The mailbox is saved` });
    } catch (error) {
      refuse(error);
    }
  });
  const test = async () => {
    setBusy(true);
    setAnswer(undefined);
    try {
      const said = await ask(api.POST("/mailbox/test"));
      setAnswer({ ok: said.ok, text: said.ok ? t`It works. Mails in ${said.answer}` : said.answer });
    } catch (error) {
      setAnswer({ ok: false, text: isProblem(error) && error.detail ? error.detail : t`The server does not answer.` });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p className={classes.lead}>
        {t`What people answer is read from this mailbox every minute, by IMAP. Funnels then know who replied; automatic replies do not count, and mails that came back suppress the address. Nothing in the mailbox is changed.`}
      </p>
      <form className={classes.form} onSubmit={submit} data-testid="mailbox">
        <TextInput
          label={t`Address replies go to`}
          placeholder="replies@example.com"
          description={t`The mailbox has to take mails to replies+anything@example.com as well.`}
          disabled={locked}
          {...form.getInputProps("address")}
        />
        <div className={classes.host}>
          <TextInput
            label={t`Server`}
            placeholder="imap.example.com"
            disabled={locked}
            {...form.getInputProps("host")}
          />
          <NumberInput
            label={t`Port`}
            min={1}
            max={65535}
            hideControls
            disabled={locked}
            {...form.getInputProps("port")}
          />
          <Select
            label={t`Encryption`}
            disabled={locked}
            data={[
              { value: "tls", label: "TLS" },
              { value: "starttls", label: "STARTTLS" },
              { value: "none", label: t`None` },
            ]}
            {...form.getInputProps("security")}
            onChange={(value) => {
              const security = value as Schemas["MailboxSecurity"];
              form.setFieldValue("security", security);
              if (Object.values<number>(ports).includes(Number(form.values.port)))
                form.setFieldValue("port", ports[security]);
            }}
          />
        </div>
        <div className={classes.pair}>
          <TextInput label={t`User name`} autoComplete="off" disabled={locked} {...form.getInputProps("username")} />
          <PasswordInput
            label={t`Password`}
            autoComplete="new-password"
            placeholder={box.has_password ? t`saved, leave empty to keep` : undefined}
            disabled={locked}
            visibilityToggleButtonProps={{ "aria-label": t`Show the password` }}
            {...form.getInputProps("password")}
          />
        </div>
        <TextInput label={t`Folder`} disabled={locked} {...form.getInputProps("folder")} />
        <Switch
          label={t`Read replies`}
          description={t`Off: answers go to the address of the sender, as before.`}
          disabled={locked}
          {...form.getInputProps("active", { type: "checkbox" })}
        />
        {box.said ? (
          <p className={classes.refusal}>{t`The last look failed: ${box.said}`}</p>
        ) : (
          box.checked_at && <p className="meta">{t`Read ${format.ago(box.checked_at)}`}</p>
        )}
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        {locked ? (
          <p className="meta">{t`An administrator can change this.`}</p>
        ) : (
          <div className={classes.buttons}>
            <Button type="submit" variant="filled" loading={form.submitting}>
              {t`Save the mailbox`}
            </Button>
            {box.configured && (
              <Button loading={busy} onClick={test}>
                {t`Test the connection`}
              </Button>
            )}
          </div>
        )}
        {answer && (
          <p className={answer.ok ? classes.good : classes.refusal} role="status">
            {answer.text}
          </p>
        )}
      </form>
    </>
  );
}

function DomainForm({ domain, locked }: { domain: TrackingDomain; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [name, setName] = useState(domain.domain);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const said: Record<string, string> = {
    no_name: t`There is no such name in DNS yet. It can take an hour until a new one is seen.`,
    no_answer: t`DNS does not answer. Try again in a minute.`,
    elsewhere: t`The name leads elsewhere. Point it at the host above.`,
    no_https: t`The name leads here, but https does not answer on it yet: it needs a certificate.`,
    not_ours: t`Something else answers on this name.`,
  };
  const run = async (call: () => Promise<TrackingDomain>) => {
    setBusy(true);
    setWrong(undefined);
    try {
      client.setQueryData(trackingDomainQuery.queryKey, await call());
    } catch (error) {
      setWrong(
        isProblem(error) ? (error.fields[0]?.message ?? error.detail) : t`Something failed on our side. Try again.`,
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={classes.form}>
      <p className={classes.lead}>
        {t`Links in messages lead through a domain of your own instead of ours. Mail programs trust a message more whose links and sender belong together.`}
      </p>
      <TextInput
        label={t`Domain`}
        placeholder="links.example.com"
        disabled={locked}
        value={name}
        error={wrong}
        onChange={(event) => setName(event.currentTarget.value)}
        rightSectionWidth={110}
        rightSection={
          domain.domain && name === domain.domain ? (
            <Badge data-tone={domain.verified ? "ok" : "warn"}>{domain.verified ? t`Verified` : t`Not verified`}</Badge>
          ) : undefined
        }
      />
      {domain.domain && (
        <p>
          {t`Publish in DNS:`}{" "}
          <code>
            {domain.domain} CNAME {domain.target}
          </code>
        </p>
      )}
      {domain.said && <p className={classes.refusal}>{said[domain.said] ?? domain.said}</p>}
      {!locked && (
        <div className={classes.buttons}>
          <Button
            variant="filled"
            loading={busy}
            disabled={name.trim() === domain.domain}
            onClick={() => run(() => ask(api.PUT("/tracking-domain", { body: { domain: name.trim() } })))}
          >
            {t`Save the domain`}
          </Button>
          {domain.domain && (
            <Button loading={busy} onClick={() => run(() => ask(api.POST("/tracking-domain/verify")))}>
              {t`Check it now`}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
