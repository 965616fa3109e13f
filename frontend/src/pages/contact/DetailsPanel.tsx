import { useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Contact, type ContactField, contactQuery, fieldsQuery, updateContact } from "@/api/people";
import { useCan } from "@/api/session";
import { languages } from "@/i18n/languages";
import { useFieldName } from "@/pages/people/fieldNames";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { useRefusal } from "@/ui/useRefusal";
import { zones } from "@/ui/zones";
import { type Draft, draftOf, patchOf } from "./details";
import classes from "./person.module.css";

const builtIn = ["first_name", "last_name", "email", "phone", "external_id", "zone", "language"] as const;

export function DetailsPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const can = useCan();
  const [editing, setEditing] = useState(false);
  const { data: fields = [] } = useQuery(fieldsQuery);
  return (
    <Panel
      title={t`Details`}
      actions={
        can("contacts.write") &&
        !editing && (
          <Button size="sm" variant="subtle" onClick={() => setEditing(true)}>
            {t`Edit`}
          </Button>
        )
      }
    >
      {editing ? (
        <Edit person={person} fields={fields} onDone={() => setEditing(false)} />
      ) : (
        <Read person={person} fields={fields} />
      )}
    </Panel>
  );
}

function Read({ person, fields }: { person: Contact; fields: ContactField[] }) {
  const { t } = useLingui();
  const format = useFormat();
  const fieldName = useFieldName();
  const own = fields.filter(({ key }) => !(builtIn as readonly string[]).includes(key));
  const unknown = Object.keys(person.fields).filter((key) => !own.some((field) => field.key === key));
  const say = (value: unknown): string => {
    if (value === undefined || value === null || value === "") return "";
    if (typeof value === "boolean") return value ? t`yes` : t`no`;
    if (typeof value === "number") return format.number(value);
    if (typeof value === "string") return /^\d{4}-\d\d-\d\dT/.test(value) ? format.moment(value) : value;
    return JSON.stringify(value);
  };
  const lines: [string, unknown][] = [
    ...builtIn
      .filter((key) => person[key] || key === "first_name" || key === "email")
      .map((key): [string, unknown] => [fieldName(key), person[key]]),
    ...own.map(({ key, label }): [string, unknown] => [label || key, person.fields[key]]),
    ...unknown.map((key): [string, unknown] => [key, person.fields[key]]),
  ];
  return (
    <dl className={classes.details}>
      {lines.map(([name, value]) => (
        <DetailLine key={name} name={name} value={say(value)} />
      ))}
    </dl>
  );
}

function DetailLine({ name, value }: { name: string; value: string }) {
  const { t } = useLingui();
  return (
    <>
      <dt>{name}</dt>
      <dd className={value ? undefined : classes.empty}>{value || t`not known`}</dd>
    </>
  );
}

function Edit({ person, fields, onDone }: { person: Contact; fields: ContactField[]; onDone: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const fieldName = useFieldName();
  const before = draftOf(person, fields);
  const form = useForm<Draft>({ initialValues: before });
  const { refusal, refuse, forgive } = useRefusal(form);

  const submit = form.onSubmit(async (after) => {
    forgive();
    try {
      client.setQueryData(
        contactQuery(person.id).queryKey,
        await updateContact(person.id, patchOf(before, after, fields)),
      );
      client.invalidateQueries({ queryKey: ["people"] });
      onDone();
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <form className={classes.form} onSubmit={submit}>
      {(["first_name", "last_name", "email", "phone", "external_id"] as const).map((key) => (
        <TextInput key={key} label={fieldName(key)} {...form.getInputProps(key)} />
      ))}
      <Select
        label={fieldName("zone")}
        placeholder={t`As the workspace`}
        data={zones()}
        searchable
        clearable
        clearButtonProps={{ "aria-label": t`Clear` }}
        {...form.getInputProps("zone")}
        value={String(form.values.zone) || null}
        onChange={(value) => form.setFieldValue("zone", value ?? "")}
      />
      <Select
        label={fieldName("language")}
        placeholder={t`As the workspace`}
        data={languages.map(({ id, name }) => ({ value: id, label: name }))}
        clearable
        clearButtonProps={{ "aria-label": t`Clear` }}
        value={String(form.values.language) || null}
        onChange={(value) => form.setFieldValue("language", value ?? "")}
      />
      {fields.map((field) => {
        const label = field.label || field.key;
        const name = `own:${field.key}`;
        if (field.type === "boolean")
          return <Checkbox key={name} label={label} {...form.getInputProps(name, { type: "checkbox" })} />;
        return (
          <TextInput
            key={name}
            label={label}
            inputMode={field.type === "number" ? "decimal" : undefined}
            type={field.type === "date" ? "date" : "text"}
            {...form.getInputProps(name)}
          />
        );
      })}
      {refusal && (
        <p className={classes.notice} role="alert">
          {refusal}
        </p>
      )}
      <div className={classes.buttons}>
        <Button variant="subtle" onClick={onDone}>
          {t`Cancel`}
        </Button>
        <Button type="submit" variant="filled" loading={form.submitting}>
          {t`Save details`}
        </Button>
      </div>
    </form>
  );
}
