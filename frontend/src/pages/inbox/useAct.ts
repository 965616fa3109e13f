import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { actOn, type Message, messageQuery } from "@/api/messages";
import { useToast } from "@/ui/toast";
import { isConfirmation } from "./ownPages";

/** Does in the recipient's place what they could do, and brings all that shows it up to date. */
export function useAct(message: Message) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: Schemas["ActInput"]) => actOn(message.id, body),
    onSuccess: (detail, body) => {
      if (body.act === "click" && isConfirmation(body.url ?? ""))
        toast.show({ title: t`The address is confirmed, as if they had pressed the button.` });
      client.setQueryData(messageQuery(message.id).queryKey, detail);
      for (const key of ["messages", "runs", "contact", "events"]) client.invalidateQueries({ queryKey: [key] });
    },
    onError: (error) => toast.failed(error),
  });
}
