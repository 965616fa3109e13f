import { IconArrowsExchange, IconMinus, IconPencil, IconPlus } from "@tabler/icons-react";

/** How each sort of change is drawn, in lists and on cards. */
export const signs = {
  added: { icon: IconPlus, look: "added" },
  removed: { icon: IconMinus, look: "removed" },
  moved: { icon: IconArrowsExchange, look: "changed" },
  changed: { icon: IconPencil, look: "changed" },
} as const;
