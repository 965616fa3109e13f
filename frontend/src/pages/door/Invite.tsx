import { useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, ask, enterWorkspace } from "@/api/client";
import { isProblem } from "@/api/problem";
import { currentLanguage } from "@/i18n";
import { useRoleName } from "@/shell/roles";
import { useRefusal } from "@/ui/useRefusal";
import { Door } from "./Door";
import classes from "./door.module.css";

export function Invite({ token }: { token: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const roleName = useRoleName();
  const offer = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => ask(api.GET("/invitations/accept/{token}", { params: { path: { token } } })),
    retry: false,
  });
  const form = useForm({ initialValues: { name: "", password: "" } });
  const { refusal, refuse, forgive } = useRefusal(form);

  const submit = form.onSubmit(async ({ name, password }) => {
    forgive();
    try {
      const session = await ask(
        api.POST("/invitations/accept/{token}", {
          params: { path: { token } },
          body: { password, language: currentLanguage(), ...(name ? { name } : {}) },
        }),
      );
      enterWorkspace(session.workspace?.id ?? session.workspaces.at(-1)?.id ?? null);
      client.clear();
      await navigate({ to: "/", replace: true });
    } catch (error) {
      refuse(error);
    }
  });

  if (offer.error)
    return (
      <Door
        title={t`This invitation does not work`}
        text={
          isProblem(offer.error) && offer.error.detail && offer.error.status !== 404
            ? offer.error.detail
            : t`It was used, withdrawn, or is too old. Ask whoever invited you for a new one.`
        }
      >
        <div className={classes.form}>
          <p className={classes.below}>
            <Link to="/login">{t`Back to signing in`}</Link>
          </p>
        </div>
      </Door>
    );
  if (!offer.data) return <Door title={t`One moment`} />;
  const { workspace, email, role, known } = offer.data;
  return (
    <Door
      title={t`Join ${workspace}`}
      text={
        known
          ? t`You are invited as ${email}. Your role: ${roleName(role)}. You have an account already; sign in with its password.`
          : t`You are invited as ${email}. Your role: ${roleName(role)}.`
      }
    >
      <form className={classes.form} onSubmit={submit}>
        {!known && <TextInput label={t`Your name`} autoComplete="name" autoFocus {...form.getInputProps("name")} />}
        <PasswordInput
          label={t`Password`}
          description={known ? undefined : t`At least 10 characters.`}
          autoComplete={known ? "current-password" : "new-password"}
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
          {t`Join`}
        </Button>
      </form>
    </Door>
  );
}
