import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";

/** Whether marketing mail may go to an address: they agreed, were never asked, or left. */
export type MayMail = "agreed" | "not_asked" | "left";

/** Asks about an address; one nobody has yet was not asked. */
export const mayMailQuery = (email: string) =>
  queryOptions({
    queryKey: ["may-mail", email],
    enabled: /^\S+@\S+$/.test(email),
    queryFn: async ({ signal }): Promise<MayMail> => {
      const { items } = await ask(api.GET("/contacts", { params: { query: { q: email, limit: 20 } }, signal }));
      const contact = items.find((c) => c.email?.toLowerCase() === email.toLowerCase());
      if (!contact) return "not_asked";
      if (contact.suppressed) return "left";
      const consents = await ask(api.GET("/contacts/{id}/consents", { params: { path: { id: contact.id } }, signal }));
      const said = consents.items.find((c) => c.channel === "email" && !c.topic)?.state;
      return said === "granted" ? "agreed" : said === "denied" ? "left" : "not_asked";
    },
  });
