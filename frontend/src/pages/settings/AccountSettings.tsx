import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import { sessionQuery, useSession } from "@/api/session";
import { LanguageChoice } from "@/shell/LanguageChoice";
import { Panel } from "@/ui/Panel";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import classes from "./settings.module.css";

export function AccountSettings() {
  return (
    <>
      <Me />
      <Password />
    </>
  );
}

function Me() {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const { user } = useSession();
  const form = useForm({ initialValues: { name: user.name } });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      client.setQueryData(sessionQuery.queryKey, await ask(api.PUT("/me", { body })));
      form.resetDirty();
      toast.show({ title: t`Your name is saved` });
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <Panel title={t`You`}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput label={t`Name`} autoComplete="name" {...form.getInputProps("name")} />
        <TextInput label={t`E-mail`} value={user.email} readOnly disabled />
        <div>
          <p className="meta" style={{ marginBottom: 6 }}>
            {t`Language`}
          </p>
          <LanguageChoice keep />
        </div>
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <div className={classes.buttons}>
          <Button type="submit" variant="filled" loading={form.submitting} disabled={!form.isDirty()}>
            {t`Save the name`}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function Password() {
  const { t } = useLingui();
  const toast = useToast();
  const form = useForm({
    initialValues: { current_password: "", password: "" },
    validate: { password: (value) => (value.length < 10 ? t`Use at least 10 characters.` : null) },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const show = { "aria-label": t`Show the password` };
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      await ask(api.PUT("/me", { body }));
      form.reset();
      toast.show({ title: t`The new password is set`, text: t`You were signed out everywhere else.` });
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <Panel title={t`Password`}>
      <form className={classes.form} onSubmit={submit}>
        <PasswordInput
          label={t`Present password`}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={show}
          {...form.getInputProps("current_password")}
        />
        <PasswordInput
          label={t`New password`}
          description={t`At least 10 characters.`}
          autoComplete="new-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={show}
          {...form.getInputProps("password")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <div className={classes.buttons}>
          <Button type="submit" loading={form.submitting}>
            {t`Change the password`}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
