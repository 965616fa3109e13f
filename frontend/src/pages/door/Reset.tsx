import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { useRefusal } from "@/ui/useRefusal";
import { Door } from "./Door";
import classes from "./door.module.css";

/** Asks for a reset link, or sets the new password with the token of one. */
export function Reset({ token }: { token?: string }) {
  return token ? <NewPassword token={token} /> : <AskForLink />;
}

function AskForLink() {
  const { t } = useLingui();
  const [asked, setAsked] = useState<{ mail: boolean }>();
  const form = useForm({ initialValues: { email: "" } });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      setAsked(await ask(api.POST("/password-reset/request", { body })));
    } catch (error) {
      refuse(error);
    }
  });
  const back = (
    <p className={classes.below}>
      <Link to="/login">{t`Back to signing in`}</Link>
    </p>
  );
  if (asked)
    return (
      <Door
        title={asked.mail ? t`Look in your mailbox` : t`Ask your administrator`}
        text={
          asked.mail
            ? t`If we know the address, a link to a new password is on its way. It works for one hour.`
            : t`This installation sends no mail yet. An administrator can make a link for you under Settings, Team.`
        }
      >
        <div className={classes.form}>{back}</div>
      </Door>
    );
  return (
    <Door title={t`New password`} text={t`We send a link to your address.`}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label={t`E-mail`}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
          {...form.getInputProps("email")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <Button type="submit" variant="filled" size="lg" loading={form.submitting}>
          {t`Send the link`}
        </Button>
        {back}
      </form>
    </Door>
  );
}

function NewPassword({ token }: { token: string }) {
  const { t } = useLingui();
  const [done, setDone] = useState(false);
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (value) => (value.length < 10 ? t`Use at least 10 characters.` : null) },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async ({ password }) => {
    forgive();
    try {
      await ask(api.POST("/password-reset/confirm", { body: { token, password } }));
      setDone(true);
    } catch (error) {
      refuse(error);
    }
  });
  if (done)
    return (
      <Door title={t`The new password is set`} text={t`You were signed out everywhere else.`}>
        <div className={classes.form}>
          <Button variant="filled" size="lg" renderRoot={(props) => <Link to="/login" {...props} />}>
            {t`Sign in`}
          </Button>
        </div>
      </Door>
    );
  return (
    <Door title={t`Choose a new password`}>
      <form className={classes.form} onSubmit={submit}>
        <PasswordInput
          label={t`New password`}
          description={t`At least 10 characters.`}
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          visibilityToggleButtonProps={{ "aria-label": t`Show the password` }}
          {...form.getInputProps("password")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <Button type="submit" variant="filled" size="lg" loading={form.submitting}>
          {t`Set the password`}
        </Button>
      </form>
    </Door>
  );
}
