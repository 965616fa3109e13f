import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

const names = {
  email: msg`E-mail`,
  first_name: msg`First name`,
  last_name: msg`Last name`,
  name: msg`First and last name`,
  phone: msg`Phone`,
  external_id: msg`Your own id`,
  tags: msg`Tags`,
  zone: msg`Time zone`,
  language: msg`Language`,
} as const;

/** What a built-in field is called; a field of the workspace's own is called by its label or key. */
export function useFieldName(): (key: string, label?: string) => string {
  const { t } = useLingui();
  return (key, label) => (key in names ? t(names[key as keyof typeof names]) : label || key);
}
