import { useLingui } from "@lingui/react/macro";
import { Button, NumberInput, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schemas } from "@/api/client";
import { isProblem } from "@/api/problem";
import { useSession, workspaceQuery } from "@/api/session";
import { type Smtp, smtpQuery } from "@/api/settings";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import classes from "./settings.module.css";

/** The SMTP account that takes mail out of the sandbox. */
export function MailServer({ locked }: { locked: boolean }) {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(smtpQuery);
  return (
    <Panel title={t`Mail server`}>
      {error ? (
        <Failure error={error} reset={() => refetch()} compact />
      ) : data ? (
        <Edit smtp={data} locked={locked} />
      ) : (
        <RowSkeletons rows={3} />
      )}
    </Panel>
  );
}

const ports = { none: 25, starttls: 587, tls: 465 } as const;

function Edit({ smtp, locked }: { smtp: Smtp; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const form = useForm({
    initialValues: {
      host: smtp.host,
      port: (smtp.port || 587) as number | string,
      security: (smtp.configured ? smtp.security : "starttls") as Schemas["SmtpSecurity"],
      username: smtp.username,
      password: "",
      rate_per_second: (smtp.rate_per_second ?? 10) as number | string,
      enabled: smtp.configured ? smtp.enabled : true,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);

  const submit = form.onSubmit(async ({ password, port, rate_per_second, ...rest }) => {
    forgive();
    try {
      const saved = await ask(
        api.PUT("/providers/smtp", {
          body: {
            ...rest,
            port: Number(port),
            rate_per_second: Number(rate_per_second) || 10,
            ...(password ? { password } : {}),
          },
        }),
      );
      client.setQueryData(smtpQuery.queryKey, saved);
      client.invalidateQueries({ queryKey: workspaceQuery.queryKey });
      form.setFieldValue("password", "");
      toast.show(
        saved.enabled
          ? { title: t`The mail server is saved`, text: t`E-mails leave from now on.` }
          : { title: t`The mail server is saved`, text: t`It is off: messages go to the Test inbox.` },
      );
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <>
      <p className={classes.lead}>
        {t`Without a mail server, or while it is off, nothing leaves: every message goes to the Test inbox.`}
      </p>
      <form className={classes.form} onSubmit={submit}>
        <div className={classes.host}>
          <TextInput
            label={t`Server`}
            placeholder="smtp.example.com"
            required
            withAsterisk={false}
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
              { value: "starttls", label: "STARTTLS" },
              { value: "tls", label: "TLS" },
              { value: "none", label: t`None` },
            ]}
            {...form.getInputProps("security")}
            onChange={(value) => {
              const security = value as Schemas["SmtpSecurity"];
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
            placeholder={smtp.has_password ? t`saved, leave empty to keep` : undefined}
            disabled={locked}
            visibilityToggleButtonProps={{ "aria-label": t`Show the password` }}
            {...form.getInputProps("password")}
          />
        </div>
        <NumberInput
          label={t`At most, messages a second`}
          min={1}
          max={10000}
          disabled={locked}
          {...form.getInputProps("rate_per_second")}
        />
        <Switch
          label={t`Send for real`}
          description={t`Off: everything goes to the Test inbox, the account stays saved.`}
          disabled={locked}
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
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
              {t`Save the mail server`}
            </Button>
            {smtp.configured && <TestSend />}
          </div>
        )}
      </form>
    </>
  );
}

/** Sends one line through the saved account and says what the server answered. */
function TestSend() {
  const { t } = useLingui();
  const { user } = useSession();
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Schemas["SmtpTest"]>();
  const test = async () => {
    setBusy(true);
    setAnswer(undefined);
    try {
      setAnswer(await ask(api.POST("/providers/smtp/test", { body: { to: user.email } })));
    } catch (error) {
      setAnswer({
        ok: false,
        detail: isProblem(error) && error.detail ? error.detail : t`The server does not answer.`,
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button loading={busy} onClick={test}>
        {t`Send a test to me`}
      </Button>
      {answer && (
        <p className={answer.ok ? classes.good : classes.refusal} role="status" style={{ flexBasis: "100%" }}>
          {answer.ok ? t`Sent to ${user.email}. The server answered: ${answer.detail}` : answer.detail}
        </p>
      )}
    </>
  );
}
