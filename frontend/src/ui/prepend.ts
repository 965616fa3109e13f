import type { InfiniteData } from "@tanstack/react-query";

interface Page<Item> {
  items: Item[];
}

/** Puts a newcomer on top of a list; one that is there already is brought up to date in its place. */
export function prepend<Item extends { id: string }, P extends Page<Item>>(
  data: InfiniteData<P, unknown>,
  item: Item,
): InfiniteData<P, unknown> {
  let found = false;
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((old) => {
      if (old.id !== item.id) return old;
      found = true;
      return item;
    }),
  }));
  const first = pages[0];
  if (!found && first) pages[0] = { ...first, items: [item, ...first.items] };
  return { ...data, pages };
}
