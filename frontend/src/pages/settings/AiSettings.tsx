import { useLingui } from "@lingui/react/macro";
import { Button, NumberInput, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type AiSettingsData, aiSettingsQuery } from "@/api/ai";
import { api, ask } from "@/api/client";
import { useCan } from "@/api/session";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { AiCalls } from "./AiCalls";
import { AiEndpoint } from "./AiEndpoint";
import classes from "./settings.module.css";

/** Which models draft funnels, and how much they may. */
export function AiSettings() {
  const { t } = useLingui();
  const can = useCan();
  const { data, error, refetch } = useQuery(aiSettingsQuery);
  const locked = !can("providers.write");
  if (error) return <Failure error={error} reset={() => refetch()} compact />;
  if (!data)
    return (
      <Panel title={t`Model`}>
        <RowSkeletons rows={3} />
      </Panel>
    );
  const own = data.endpoints.length > 0;
  return (
    <>
      <p className={classes.lead}>
        {own
          ? t`This workspace has models of its own.`
          : data.installation === "offline"
            ? t`No model is connected. The built-in planner drafts funnels, without AI. Connect any OpenAI-compatible endpoint below.`
            : t`The installation's model ${data.installation} drafts funnels. You can connect one of your own below.`}
      </p>
      <AiEndpoint slot="primary" saved={data.endpoints.find((e) => e.slot === "primary")} locked={locked} />
      <AiEndpoint slot="reserve" saved={data.endpoints.find((e) => e.slot === "reserve")} locked={locked} />
      <Budget data={data} locked={locked} />
      <AiCalls data={data} />
    </>
  );
}

function Budget({ data, locked }: { data: AiSettingsData; locked: boolean }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const form = useForm({
    initialValues: {
      models_off: data.budget.models_off,
      day_tokens: data.budget.day_tokens as number | string,
      month_tokens: data.budget.month_tokens as number | string,
      user_minute: data.budget.user_minute as number | string,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (values) => {
    forgive();
    try {
      const saved = await ask(
        api.PUT("/ai/settings", {
          body: {
            models_off: values.models_off,
            day_tokens: Number(values.day_tokens),
            month_tokens: Number(values.month_tokens),
            user_minute: Number(values.user_minute) || 1,
          },
        }),
      );
      client.setQueryData(aiSettingsQuery.queryKey, saved);
      client.invalidateQueries({ queryKey: ["ai", "status"] });
      toast.show({ title: t`The budget is saved` });
    } catch (error) {
      refuse(error);
    }
  });
  const number = (n: number) => n.toLocaleString(i18n.locale);
  const day = number(data.spent.day);
  const month = number(data.spent.month);
  return (
    <Panel title={t`Budget`}>
      <p
        className={classes.lead}
      >{t`Used today: ${day} tokens. Used this month: ${month}. A draft that fails, or changes nothing, costs nothing.`}</p>
      <form className={classes.form} onSubmit={submit}>
        <div className={classes.pair}>
          <NumberInput label={t`Tokens a day`} min={0} disabled={locked} {...form.getInputProps("day_tokens")} />
          <NumberInput label={t`Tokens a month`} min={0} disabled={locked} {...form.getInputProps("month_tokens")} />
        </div>
        <NumberInput
          label={t`Drafts a person may ask for in a minute`}
          min={1}
          max={1000}
          disabled={locked}
          {...form.getInputProps("user_minute")}
        />
        <Switch
          label={t`Use no models`}
          description={t`Nothing of this workspace goes to a model; the built-in planner drafts.`}
          disabled={locked}
          {...form.getInputProps("models_off", { type: "checkbox" })}
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
              {t`Save the budget`}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}
