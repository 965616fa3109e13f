import { useLingui } from "@lingui/react/macro";
import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { type Provider, type ProviderInput, type ProviderList, type ProviderRole, providersQuery } from "@/api/sending";
import { workspaceQuery } from "@/api/session";
import { FormDialog } from "@/pages/settings/FormDialog";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import own from "./sending.module.css";
import { useSendingWords } from "./words";

interface DialogProps {
  list: ProviderList;
  channel: string;
  provider?: Provider;
  onClose: () => void;
}

const ports: Record<string, string> = { none: "25", starttls: "587", implicit: "465" };

/** Connects an account or changes one. A key that is left empty stays what it is; none is ever shown again. */
export function AccountDialog({ list, channel, provider, onClose }: DialogProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const words = useSendingWords();
  const choices = list.kinds.filter((one) => one.channels.includes(channel));
  const usual = choices.find((one) => one.name === "smtp") ?? choices.find((one) => one.name !== "http") ?? choices[0];
  const [kind, setKind] = useState(provider?.kind ?? usual?.name ?? "");
  const fields = list.kinds.find((one) => one.name === kind)?.fields ?? [];
  const others = list.items.filter((one) => one.channel === channel && one.id !== provider?.id);
  // The fields of all kinds lie side by side, so that a refusal finds its own by name.
  const blank = Object.fromEntries(list.kinds.flatMap((one) => one.fields).map((field) => [field.name, ""]));
  const form = useForm<Record<string, string | number | boolean>>({
    initialValues: {
      ...blank,
      port: ports.starttls ?? "",
      tls: "starttls",
      ...provider?.config,
      name: provider?.name ?? "",
      role: provider?.role ?? (others.some((one) => one.role === "active") ? "reserve" : "active"),
      preset: provider?.preset ?? "",
      per_second: provider?.per_second ?? 10,
      per_hour: provider?.per_hour ?? "",
      per_day: provider?.per_day ?? "",
      warm_up: provider?.warm_up ?? false,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const { values } = form;
  const preset = list.presets.find((one) => one.name === values.preset);

  const submit = form.onSubmit(async (v) => {
    forgive();
    const config: Record<string, string> = {};
    const secrets: Record<string, string> = {};
    for (const { name, secret } of fields) {
      const value = String(v[name] ?? "").trim();
      if (value) (secret ? secrets : config)[name] = value;
    }
    const body: ProviderInput = {
      kind,
      channel,
      name: String(v.name).trim() || words.kind(kind),
      role: v.role as ProviderRole,
      config,
      secrets,
      preset: String(v.preset),
      per_second: Number(v.per_second) || 1,
      ...(v.per_hour ? { per_hour: Number(v.per_hour) } : {}),
      ...(v.per_day ? { per_day: Number(v.per_day) } : {}),
      warm_up: Boolean(v.warm_up),
    };
    try {
      const saved = await ask(
        provider
          ? api.PUT("/providers/{id}", { params: { path: { id: provider.id } }, body })
          : api.POST("/providers", { body }),
      );
      // Whoever saves an account wants to know whether it works.
      await ask(api.POST("/providers/{id}/check", { params: { path: { id: saved.id } } })).catch(toast.failed);
      await client.invalidateQueries({ queryKey: providersQuery.queryKey });
      void client.invalidateQueries({ queryKey: workspaceQuery.queryKey });
      onClose();
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <FormDialog
      title={provider ? t`Change the account` : t`Connect an account`}
      onClose={onClose}
      onSubmit={submit}
      submitting={form.submitting}
      submit={t`Save and test`}
      refusal={refusal}
    >
      {!provider && (
        <Select
          label={t`Who carries it`}
          allowDeselect={false}
          data={choices.map((one) => ({ value: one.name, label: words.kind(one.name) }))}
          value={kind}
          onChange={(value) => value && setKind(value)}
        />
      )}
      <TextInput
        label={t`Name`}
        description={t`For your own eyes.`}
        placeholder={words.kind(kind)}
        maxLength={200}
        {...form.getInputProps("name")}
      />
      {fields.map((field) =>
        field.secret ? (
          <PasswordInput
            key={field.name}
            label={words.field(field.name)}
            description={
              field.name === "private_key" ? t`Leave it empty, and a key is made for you.` : t`It is never shown again.`
            }
            autoComplete="new-password"
            placeholder={
              provider?.secrets.includes(field.name) ? t`saved, leave empty to keep` : field.example || undefined
            }
            visibilityToggleButtonProps={{ "aria-label": t`Show what I enter` }}
            {...form.getInputProps(field.name)}
          />
        ) : field.name === "tls" ? (
          <Select
            key={field.name}
            label={words.field(field.name)}
            allowDeselect={false}
            data={[
              { value: "starttls", label: "STARTTLS" },
              { value: "implicit", label: "TLS" },
              { value: "none", label: t`None` },
            ]}
            {...form.getInputProps(field.name)}
            onChange={(value) => {
              if (Object.values(ports).includes(String(values.port)))
                form.setFieldValue("port", ports[value ?? ""] ?? "");
              form.setFieldValue("tls", value ?? "starttls");
            }}
          />
        ) : (
          <TextInput
            key={field.name}
            label={words.field(field.name)}
            placeholder={field.example}
            autoComplete="off"
            {...form.getInputProps(field.name)}
          />
        ),
      )}
      <Select
        label={t`What it is for`}
        allowDeselect={false}
        data={[
          { value: "active", label: t`Messages leave through it` },
          { value: "reserve", label: t`Reserve: takes over when the other one fails` },
          { value: "off", label: t`Paused: saved, but not used` },
        ]}
        {...form.getInputProps("role")}
      />
      <Select
        label={t`Limits`}
        allowDeselect={false}
        data={[
          { value: "", label: t`My own` },
          ...list.presets.map((one) => ({
            value: one.name,
            label: `${words.preset(one.name)}: ${words.limits(one)}`,
          })),
        ]}
        {...form.getInputProps("preset")}
      />
      {!preset && (
        <div className={own.three}>
          <NumberInput label={t`A second`} min={1} max={10000} {...form.getInputProps("per_second")} />
          <NumberInput label={t`An hour`} placeholder={t`no limit`} min={1} {...form.getInputProps("per_hour")} />
          <NumberInput label={t`A day`} placeholder={t`no limit`} min={1} {...form.getInputProps("per_day")} />
        </div>
      )}
      <Checkbox
        label={t`Warm up`}
        description={t`Begin with 50 marketing messages a day and double, for a domain or number nobody knows yet.`}
        {...form.getInputProps("warm_up", { type: "checkbox" })}
      />
    </FormDialog>
  );
}
