import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Checkbox, Select, TagsInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { fieldsQuery } from "@/api/people";
import { useFieldName } from "@/pages/people/fieldNames";
import { fieldTypes, useFieldTypeName } from "./fieldTypes";
import { type FieldType, type FormValues, usualTarget } from "./formInput";
import classes from "./forms.module.css";

interface CardProps {
  form: UseFormReturnType<FormValues>;
  at: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** One question: its words, its kind, and where the answer goes. */
export function QuestionCard({ form, at, onMove, onRemove }: CardProps) {
  const { t } = useLingui();
  const typeName = useFieldTypeName();
  const fieldName = useFieldName();
  const own = useQuery(fieldsQuery);
  const path = `fields.${at}` as const;
  const field = form.values.fields[at];
  if (!field) return null;
  const n = at + 1;
  const identity = field.type === "email" || field.type === "phone";
  const targets = [
    ...(identity ? [] : [{ value: "", label: t`Only with the answers` }]),
    ...[...(identity ? [field.type] : ["first_name", "last_name"]), ...(own.data ?? []).map((f) => f.key)].map(
      (key) => ({ value: key, label: fieldName(key, own.data?.find((f) => f.key === key)?.label) }),
    ),
  ];
  if (!targets.some(({ value }) => value === field.maps_to))
    targets.push({ value: field.maps_to, label: field.maps_to });
  return (
    <fieldset className={classes.question} aria-label={t`Question ${n}`}>
      <div className={classes.questionHead}>
        <b>{t`Question ${n}`}</b>
        <ActionIcon size="sm" aria-label={t`Move question ${n} up`} disabled={at === 0} onClick={() => onMove(at - 1)}>
          <IconArrowUp size={14} stroke={1.75} />
        </ActionIcon>
        <ActionIcon
          size="sm"
          aria-label={t`Move question ${n} down`}
          disabled={at === form.values.fields.length - 1}
          onClick={() => onMove(at + 1)}
        >
          <IconArrowDown size={14} stroke={1.75} />
        </ActionIcon>
        <ActionIcon size="sm" aria-label={t`Remove question ${n}`} onClick={onRemove}>
          <IconX size={14} stroke={1.75} />
        </ActionIcon>
      </div>
      <TextInput label={t`Words of the question`} {...form.getInputProps(`${path}.label`)} />
      <div className={classes.pair}>
        <Select
          label={t`Kind of answer`}
          data={fieldTypes.map((value) => ({ value, label: typeName(value) }))}
          {...form.getInputProps(`${path}.type`)}
          onChange={(value) => {
            const type = value as FieldType;
            form.setFieldValue(`${path}.type`, type);
            // An address belongs into no other field, and nothing else is an address.
            if (usualTarget(type) || usualTarget(field.type)) form.setFieldValue(`${path}.maps_to`, usualTarget(type));
          }}
        />
        <Select
          label={t`Saved with the person as`}
          data={targets}
          searchable={targets.length > 8}
          {...form.getInputProps(`${path}.maps_to`)}
        />
      </div>
      {field.type === "select" && (
        <TagsInput
          label={t`Choices`}
          description={t`Write each and press Enter.`}
          acceptValueOnBlur
          {...form.getInputProps(`${path}.options`)}
        />
      )}
      <Checkbox label={t`Must be answered`} {...form.getInputProps(`${path}.required`, { type: "checkbox" })} />
    </fieldset>
  );
}
