import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, ask } from "@/api/client";
import { sessionQuery } from "@/api/session";
import { useRefusal } from "@/ui/useRefusal";
import { Door } from "./Door";
import classes from "./door.module.css";
import { innerPath } from "./innerPath";

export function Login({ next }: { next?: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { email: "", password: "" } });
  const { refusal, refuse, forgive } = useRefusal(form);

  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      await ask(api.POST("/session", { body }));
      client.clear();
      await client.fetchQuery(sessionQuery);
      await navigate({ to: innerPath(next), replace: true });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <Door title={t`Sign in`}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label={t`E-mail`}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={t`Password`}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": t`Show the password` }}
          {...form.getInputProps("password")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <Button type="submit" variant="filled" size="lg" loading={form.submitting}>
          {t`Sign in`}
        </Button>
        <p className={classes.below}>
          <Link to="/reset">{t`I forgot the password`}</Link>
        </p>
      </form>
    </Door>
  );
}
