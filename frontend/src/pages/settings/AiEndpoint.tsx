import { useLingui } from "@lingui/react/macro";
import { Button, NumberInput, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AiEndpointData, type AiProfileData, aiSettingsQuery } from "@/api/ai";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import { Panel } from "@/ui/Panel";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import classes from "./settings.module.css";

interface AiEndpointProps {
  slot: "primary" | "reserve";
  saved: AiEndpointData | undefined;
  locked: boolean;
}

/** One OpenAI-compatible endpoint: saved, tested, removed. The key goes one way only. */
export function AiEndpoint({ slot, saved, locked }: AiEndpointProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const form = useForm({
    initialValues: {
      base_url: saved?.base_url ?? "",
      model: saved?.model ?? "",
      key: "",
      price_in: (saved?.price_in ?? "") as number | string,
      price_out: (saved?.price_out ?? "") as number | string,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async ({ key, price_in, price_out, ...rest }) => {
    forgive();
    try {
      const settings = await ask(
        api.PUT("/ai/endpoints/{slot}", {
          params: { path: { slot } },
          body: {
            ...rest,
            ...(key ? { key } : {}),
            ...(price_in === "" ? {} : { price_in: Number(price_in) }),
            ...(price_out === "" ? {} : { price_out: Number(price_out) }),
          },
        }),
      );
      client.setQueryData(aiSettingsQuery.queryKey, settings);
      client.invalidateQueries({ queryKey: ["ai", "status"] });
      form.setFieldValue("key", "");
      toast.show({ title: t`The model is saved`, text: t`Test it before you rely on it.` });
    } catch (error) {
      refuse(error);
    }
  });
  const remove = async () => {
    try {
      await ask(api.DELETE("/ai/endpoints/{slot}", { params: { path: { slot } } }));
      form.setValues({ base_url: "", model: "", key: "", price_in: "", price_out: "" });
      await client.invalidateQueries({ queryKey: aiSettingsQuery.queryKey });
      client.invalidateQueries({ queryKey: ["ai", "status"] });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Panel title={slot === "primary" ? t`Model` : t`Reserve`}>
      <p className={classes.lead}>
        {slot === "primary"
          ? t`Any endpoint that speaks like OpenAI's. Prompts and names of lists and tags go there; of people only what a step that writes with AI names.`
          : t`Asked when the first model does not answer. Better a different vendor than the same one twice.`}
      </p>
      <form className={classes.form} onSubmit={submit} data-testid={`endpoint-${slot}`}>
        <TextInput
          label={t`Address`}
          placeholder="https://api.openai.com/v1"
          required
          withAsterisk={false}
          disabled={locked}
          {...form.getInputProps("base_url")}
        />
        <div className={classes.pair}>
          <TextInput
            label={t`Name of the model`}
            placeholder="gpt-4o-mini"
            required
            withAsterisk={false}
            disabled={locked}
            {...form.getInputProps("model")}
          />
          <PasswordInput
            label={t`Key`}
            autoComplete="new-password"
            placeholder={saved?.has_key ? t`saved, leave empty to keep` : undefined}
            disabled={locked}
            visibilityToggleButtonProps={{ "aria-label": t`Show the key` }}
            {...form.getInputProps("key")}
          />
        </div>
        <div className={classes.pair}>
          <NumberInput
            label={t`Price of a million tokens to it, in dollars`}
            min={0}
            decimalScale={4}
            disabled={locked}
            {...form.getInputProps("price_in")}
          />
          <NumberInput
            label={t`Price of a million tokens from it, in dollars`}
            min={0}
            decimalScale={4}
            disabled={locked}
            {...form.getInputProps("price_out")}
          />
        </div>
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
              {slot === "primary" ? t`Save the model` : t`Save the reserve`}
            </Button>
            {saved && <ConnectionTest slot={slot} last={saved.profile} />}
            {saved && (
              <Button variant="subtle" onClick={remove}>
                {t`Remove`}
              </Button>
            )}
          </div>
        )}
      </form>
    </Panel>
  );
}

/** Asks the saved endpoint and says in words what it can do. */
function ConnectionTest({ slot, last }: { slot: "primary" | "reserve"; last: AiProfileData | undefined }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [profile, setProfile] = useState(last);
  const [failed, setFailed] = useState<string>();
  const test = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      setProfile(await ask(api.POST("/ai/endpoints/{slot}/test", { params: { path: { slot } } })));
      client.invalidateQueries({ queryKey: aiSettingsQuery.queryKey });
    } catch (error) {
      setProfile(undefined);
      setFailed((isProblem(error) && error.detail) || t`The server does not answer.`);
    } finally {
      setBusy(false);
    }
  };
  const words = profile && (profile.reached ? able(profile) : t`Not reached: ${profile.says ?? ""}.`);
  function able(p: AiProfileData): string {
    const kept = p.enforced
      ? t`It keeps to the form of answers.`
      : t`It does not keep to the form of answers by itself; each one is checked and mended.`;
    const streams = p.streams ? t`Funnels are drawn while it writes.` : t`Funnels are drawn once it has written all.`;
    return [t`Connected.`, kept, streams].join(" ");
  }
  return (
    <>
      <Button loading={busy} onClick={test}>
        {t`Test the connection`}
      </Button>
      {(words || failed) && (
        <p
          className={profile?.reached ? classes.good : classes.refusal}
          role="status"
          data-testid="endpoint-test"
          style={{ flexBasis: "100%" }}
        >
          {failed ?? words}
        </p>
      )}
    </>
  );
}
