import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { actOn, type Message, messageQuery } from "@/api/messages";
import { useToast } from "@/ui/toast";

/** Does in the recipient's place what they could do, and brings all that shows it up to date. */
export function useAct(message: Message) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: Schemas["ActInput"]) => actOn(message.id, body),
    onSuccess: (detail) => {
      client.setQueryData(messageQuery(message.id).queryKey, detail);
      for (const key of ["messages", "runs", "contact", "events"]) client.invalidateQueries({ queryKey: [key] });
    },
    onError: (error) => toast.failed(error),
  });
}
