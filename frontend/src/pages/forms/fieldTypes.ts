import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { FieldType } from "./formInput";

export const fieldTypes: readonly FieldType[] = [
  "email",
  "text",
  "textarea",
  "phone",
  "number",
  "date",
  "select",
  "checkbox",
];

const names = {
  email: msg`E-mail address`,
  text: msg`Line of text`,
  textarea: msg`Long text`,
  phone: msg`Phone number`,
  number: msg`Number`,
  date: msg`Date`,
  select: msg`One of several`,
  checkbox: msg`Box to tick`,
} as const;

/** What a kind of answer is called. */
export function useFieldTypeName(): (type: FieldType) => string {
  const { t } = useLingui();
  return (type) => t(names[type]);
}
