import { useLingui } from "@lingui/react/macro";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { isProblem } from "@/api/problem";

/**
 * Puts a server's refusal where it belongs: sentences for fields under the fields, the rest above the button.
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
    for (const { field, message } of error.fields) {
      const target = rename[field] ?? field;
      if (target in known) form.setFieldError(target, message);
      else homeless.push(message);
    }
    if (error.fields.length === 0 || homeless.length > 0) setRefusal(homeless.join(" ") || error.detail);
  };
  return { refusal, refuse, forgive: () => setRefusal(undefined) };
}
