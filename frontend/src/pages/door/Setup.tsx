import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ask, enterWorkspace } from "@/api/client";
import { currentLanguage } from "@/i18n";
import { useRefusal } from "@/ui/useRefusal";
import { guessZone, zones } from "@/ui/zones";
import { Door } from "./Door";
import classes from "./door.module.css";

export function Setup() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { workspace: "", name: "", email: "", password: "", zone: guessZone() },
    validate: {
      password: (value) => (value.length < 10 ? t`Use at least 10 characters.` : null),
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);

  const submit = form.onSubmit(async (values) => {
    forgive();
    try {
      const session = await ask(api.POST("/setup", { body: { ...values, language: currentLanguage() } }));
      enterWorkspace(session.workspaces[0]?.id ?? null);
      client.clear();
      await navigate({ to: "/", replace: true });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <Door
      title={t`Make Lejek yours`}
      text={t`You will be the administrator. Nothing is sent to anyone until you connect a mail server.`}
    >
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label={t`Name of your business`}
          description={t`People see it in what you send.`}
          required
          withAsterisk={false}
          autoFocus
          {...form.getInputProps("workspace")}
        />
        <TextInput label={t`Your name`} autoComplete="name" {...form.getInputProps("name")} />
        <TextInput
          label={t`E-mail`}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={t`Password`}
          description={t`At least 10 characters.`}
          autoComplete="new-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": t`Show the password` }}
          {...form.getInputProps("password")}
        />
        <Select
          label={t`Time zone`}
          description={t`Waits and dates follow it.`}
          data={zones()}
          searchable
          {...form.getInputProps("zone")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <Button type="submit" variant="filled" size="lg" loading={form.submitting}>
          {t`Start`}
        </Button>
      </form>
    </Door>
  );
}
