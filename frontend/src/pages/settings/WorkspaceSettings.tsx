import { useLingui } from "@lingui/react/macro";
import { Button, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";
import { sessionQuery, useCan, workspaceQuery } from "@/api/session";
import { isLanguage, languages } from "@/i18n/languages";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { PageSkeleton } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { zones } from "@/ui/zones";
import { Restraint, restraintOf, withRestraint } from "./Restraint";
import classes from "./settings.module.css";

export function WorkspaceSettings() {
  const { data, error } = useQuery(workspaceQuery);
  if (error) return <Failure error={error} />;
  if (!data) return <PageSkeleton />;
  return <Edit workspace={data} />;
}

const currencies = ["PLN", "EUR", "USD", "GBP", "CZK", "UAH", "RUB", "KZT"];

function Edit({ workspace }: { workspace: Schemas["Workspace"] }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const { name, zone, language, currency, address, allow_unknown_consent, tracking, short_links } = workspace;
  const form = useForm({
    initialValues: {
      name,
      zone,
      language,
      currency,
      address,
      allow_unknown_consent,
      tracking,
      short_links,
      restraint: restraintOf(workspace),
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const locked = !can("workspace.write");

  const submit = form.onSubmit(async ({ restraint, ...settings }) => {
    forgive();
    try {
      client.setQueryData(
        workspaceQuery.queryKey,
        await ask(api.PATCH("/workspace", { body: { ...settings, ...withRestraint(workspace, restraint) } })),
      );
      client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      form.resetDirty();
      toast.show({ title: t`The workspace is saved` });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <Panel title={t`Workspace`}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label={t`Name`}
          description={t`People see it in what you send.`}
          disabled={locked}
          {...form.getInputProps("name")}
        />
        <div className={classes.pair}>
          <Select
            label={t`Time zone`}
            description={t`Waits and dates follow it.`}
            data={zones()}
            searchable
            disabled={locked}
            {...form.getInputProps("zone")}
          />
          <Select
            label={t`Language`}
            description={t`Of unsubscribe pages and footers.`}
            data={languages.map(({ id, name: word }) => ({ value: id, label: word }))}
            disabled={locked}
            {...form.getInputProps("language")}
            onChange={(value) => isLanguage(value) && form.setFieldValue("language", value)}
          />
        </div>
        <Select
          label={t`Currency`}
          data={currencies.includes(currency) || !currency ? currencies : [currency, ...currencies]}
          disabled={locked}
          {...form.getInputProps("currency")}
        />
        <Textarea
          label={t`Postal address`}
          description={t`The law wants it below every marketing e-mail.`}
          autosize
          minRows={2}
          disabled={locked}
          {...form.getInputProps("address")}
        />
        <Switch
          label={t`Marketing may go to people nobody asked yet`}
          description={t`Off: only those who agreed get it. Who refused never does.`}
          disabled={locked}
          {...form.getInputProps("allow_unknown_consent", { type: "checkbox" })}
        />
        <Switch
          label={t`Notice opens and clicks of e-mails`}
          description={t`Off: links stay as you wrote them, and funnels hear of no opens and clicks.`}
          disabled={locked}
          {...form.getInputProps("tracking", { type: "checkbox" })}
        />
        <Switch
          label={t`Shorten links in text messages`}
          description={t`A short link costs fewer characters and tells of clicks.`}
          disabled={locked}
          {...form.getInputProps("short_links", { type: "checkbox" })}
        />
        <Restraint
          values={form.values.restraint}
          disabled={locked}
          onChange={(patch) => form.setFieldValue("restraint", { ...form.values.restraint, ...patch })}
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
            <Button type="submit" variant="filled" loading={form.submitting} disabled={!form.isDirty()}>
              {t`Save the workspace`}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}
