import type { Message } from "@/api/messages";

/** A whole address is looked up on the server; anything less narrows what is loaded. */
export function splitSearch(typed: string): { to?: string; text?: string } {
  const word = typed.trim();
  if (!word) return {};
  return /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(word) ? { to: word } : { text: word.toLowerCase() };
}

/** Does the text stand in the person's name, the address, the subject or the funnel's name? */
export function holdsText(message: Message, text: string | undefined): boolean {
  if (!text) return true;
  return [message.contact?.name, message.to, message.subject, message.funnel_name].some((part) =>
    part?.toLowerCase().includes(text),
  );
}
