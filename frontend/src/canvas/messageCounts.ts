import type { MessageCount } from "./answers";

/** One number of a message's strip: people for delivered, skipped and failed, percent of the delivered for the others. */
export interface StripNumber {
  what: "delivered" | "opened" | "clicked" | "skipped" | "failed";
  n: number;
}

/** From this share on it matters who was passed over. */
const matters = 0.1;

/** The three numbers that say most: who got it, then what went wrong, then what people did. */
export function stripOf(messages: MessageCount | undefined): StripNumber[] {
  const { sent, delivered, opened, clicked, skipped, failed } = messages ?? none;
  const share = (n: number) => Math.min(100, Math.round((100 * n) / delivered));
  const wrong: StripNumber[] = [];
  if (skipped >= matters * (sent + skipped + failed) && skipped > 0) wrong.push({ what: "skipped", n: skipped });
  if (failed > 0) wrong.push({ what: "failed", n: failed });
  const did: StripNumber[] =
    delivered > 0
      ? [
          { what: "opened", n: share(opened) },
          { what: "clicked", n: share(clicked) },
        ]
      : [];
  return [{ what: "delivered", n: delivered }, ...did.slice(0, 2 - wrong.length), ...wrong];
}

const none: MessageCount = { sent: 0, delivered: 0, opened: 0, clicked: 0, skipped: 0, failed: 0 };
