import type { InfiniteData } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import type { Message, MessageFilter } from "@/api/messages";
import { prepend } from "@/ui/prepend";

type Pages = InfiniteData<Schemas["MessagePage"], unknown>;

/** Puts a message that arrived or changed into the list: in its place, or on top when it is new and fits the filter. */
export function upsert(data: Pages, message: Message, filter: MessageFilter): Pages {
  const fits =
    (!filter.funnel || filter.funnel === message.funnel_id) &&
    (!filter.to || filter.to.toLowerCase() === message.to.toLowerCase());
  const known = data.pages.some((page) => page.items.some((item) => item.id === message.id));
  return fits || known ? prepend(data, message) : data;
}
