import type { Contact } from "@/api/people";

type Named = Pick<Contact, "first_name" | "last_name">;

/** First and last name, or nothing where we know neither. */
export function fullName(contact: Named): string {
  return [contact.first_name, contact.last_name].filter(Boolean).join(" ");
}

/** What a person is called in sentences and titles: name, else address, else phone, else the customer's own id. */
export function callName(contact: Named & Pick<Contact, "email" | "phone" | "external_id">): string {
  return fullName(contact) || contact.email || contact.phone || contact.external_id || "";
}
