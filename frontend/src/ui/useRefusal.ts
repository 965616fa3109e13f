import { useLingui } from "@lingui/react/macro";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { isProblem } from "@/api/problem";

/** Does a form have a value at a path such as `fields.0.label`? */
function holds(values: unknown, path: string): boolean {
  let at = values;
  for (const part of path.split(".")) {
    if (typeof at !== "object" || at === null || !(part in at)) return false;
    at = (at as Record<string, unknown>)[part];
  }
  return true;
}

/**
 * Puts a server's refusal where it belongs: sentences for fields under the fields, the rest above the button. The first
 * field that is wrong gets the focus, wherever the page is scrolled to.
 * `rename` maps a path of the request's body to a field of the form.
 */
export function useRefusal<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  rename: Record<string, string> = {},
) {
  const { t } = useLingui();
  const [refusal, setRefusal] = useState<string>();

  const refuse = (error: unknown) => {
    if (!isProblem(error)) {
      setRefusal(t`Something failed on our side. Try again.`);
      return;
    }
    if (error.status === 0) {
      setRefusal(t`The server does not answer. Check the connection, then try again.`);
      return;
    }
    const known = form.getValues();
    const homeless: string[] = [];
    let first: string | undefined;
    for (const { field, message } of error.fields) {
      const target = rename[field] ?? field;
      if (holds(known, target)) {
        form.setFieldError(target, message);
        first ??= target;
      } else homeless.push(message);
    }
    if (first) form.getInputNode(first)?.focus();
    if (error.fields.length === 0 || homeless.length > 0) setRefusal(homeless.join(" ") || error.detail);
  };
  return { refusal, refuse, forgive: () => setRefusal(undefined) };
}
