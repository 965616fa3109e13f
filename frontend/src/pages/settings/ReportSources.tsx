import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconInbox, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { type ReportSource, type ReportSourceKind, reportSourcesQuery } from "@/api/consent";
import { useCan } from "@/api/session";
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

const kinds: Record<Exclude<ReportSourceKind, "generic">, string> = {
  resend: "Resend",
  sendgrid: "SendGrid",
  ses: "Amazon SES",
  mailgun: "Mailgun",
  twilio: "Twilio",
  lob: "Lob",
};

function useKindName(): (kind: ReportSourceKind) => string {
  const { t } = useLingui();
  return (kind) => (kind === "generic" ? t`Another one` : kinds[kind]);
}

/** Providers that report what became of messages. Each signs its reports; without the right signature nothing is believed. */
export function ReportSources() {
  const { t } = useLingui();
  const write = useCan()("providers.write");
  const sources = useQuery(reportSourcesQuery);
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      title={t`Reports of providers`}
      flush
      actions={
        write && (
          <Button size="sm" leftSection={<IconPlus size={14} stroke={2} aria-hidden />} onClick={() => setAdding(true)}>
            {t`Add a provider`}
          </Button>
        )
      }
    >
      {sources.error ? (
        <Failure error={sources.error} reset={() => sources.refetch()} compact />
      ) : sources.isPending ? (
        <RowSkeletons rows={2} />
      ) : sources.data.length === 0 ? (
        <Empty
          compact
          icon={IconInbox}
          title={t`Let your provider tell us what became of messages`}
          text={t`Delivered, bounced, called spam, answered: with its reports funnels react, and addresses that do not work are left alone.`}
        />
      ) : (
        sources.data.map((source) => <SourceLine key={source.id} source={source} locked={!write} />)
      )}
      {adding && <SourceDialog onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function SourceLine({ source, locked }: { source: ReportSource; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const kindName = useKindName();
  const [dialog, confirm] = useConfirm();
  const { name } = source;
  const remove = () =>
    confirm({
      title: t`Remove the reports of ${name}?`,
      text: t`Its address stops working, and what it reported and is not worked on yet is lost.`,
      action: t`Remove the provider`,
      run: async () => {
        try {
          await ask(api.DELETE("/report-sources/{id}", { params: { path: { id: source.id } } }));
          await client.invalidateQueries({ queryKey: reportSourcesQuery.queryKey });
        } catch (error) {
          toast.failed(error);
        }
      },
    });
  return (
    <div className={classes.line} data-testid={`source-${source.kind}`}>
      {dialog}
      <span className={classes.lineText}>
        {name}
        <small>
          {[
            kindName(source.kind),
            source.last_at ? t`heard ${format.ago(source.last_at)}` : t`not heard yet`,
            source.done ? plural(source.done, { one: "# report in two weeks", other: "# reports in two weeks" }) : "",
            source.failed ? t`${source.failed} failed` : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </small>
      </span>
      {!locked && (
        <Button size="sm" variant="subtle" aria-label={t`Remove ${name}`} onClick={remove}>
          {t`Remove…`}
        </Button>
      )}
      <span className={classes.lineText} style={{ flexBasis: "100%" }}>
        <small>{t`At the provider, let its webhook send everything to:`}</small>
        <span className={classes.secret}>
          <code>{source.url}</code>
          <CopyText value={source.url} label={t`Copy the address`} />
        </span>
      </span>
    </div>
  );
}

function SourceDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const kindName = useKindName();
  const form = useForm({ initialValues: { kind: "resend" as ReportSourceKind, name: "", secret: "", topic_arn: "" } });
  const { refusal, refuse, forgive } = useRefusal(form);
  const { kind } = form.values;
  const label: Record<ReportSourceKind, string> = {
    resend: t`Signing secret of the webhook`,
    sendgrid: t`Verification key of the event webhook`,
    ses: "",
    mailgun: t`HTTP webhook signing key`,
    twilio: t`Auth token of the account`,
    lob: t`Secret of the webhook`,
    generic: t`A secret you make up, at least 8 characters`,
  };
  const submit = form.onSubmit(async ({ secret, topic_arn, name, ...rest }) => {
    forgive();
    try {
      await ask(
        api.POST("/report-sources", {
          body: {
            ...rest,
            name: name.trim() || kindName(rest.kind),
            ...(rest.kind === "ses" ? { topic_arn } : { secret }),
          },
        }),
      );
      await client.invalidateQueries({ queryKey: reportSourcesQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <FormDialog
      title={t`Add a provider`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Save the provider`}
      refusal={refusal}
    >
      <Select
        label={t`Provider`}
        data={[...(Object.keys(kinds) as (keyof typeof kinds)[]), "generic" as const].map((value) => ({
          value,
          label: kindName(value),
        }))}
        {...form.getInputProps("kind")}
      />
      <TextInput label={t`Name`} placeholder={kindName(kind)} {...form.getInputProps("name")} />
      {kind === "ses" ? (
        <TextInput
          label={t`ARN of the SNS topic`}
          placeholder="arn:aws:sns:eu-west-1:123456789012:lejek"
          description={t`SES tells the topic, the topic tells us. The subscription confirms itself.`}
          {...form.getInputProps("topic_arn")}
        />
      ) : (
        <PasswordInput
          label={label[kind]}
          autoComplete="off"
          description={
            kind === "generic"
              ? t`Send JSON with a list named events, and the headers X-Lejek-Timestamp and X-Lejek-Signature: sha256= and the HMAC of time, dot and body.`
              : undefined
          }
          visibilityToggleButtonProps={{ "aria-label": t`Show what is typed` }}
          {...form.getInputProps("secret")}
        />
      )}
    </FormDialog>
  );
}
