import type { Creative, Step } from "@/canvas/types";
import { MailForm } from "./MailForm";
import { PhoneForm } from "./PhoneForm";

/** The form of a message: blocks for a mail or a letter, plain words for a phone. */
export function CreativeForm(props: { step: Step; slug: string; creative: Creative }) {
  const { channel } = props.creative;
  return channel === "email" || channel === "letter" ? <MailForm {...props} /> : <PhoneForm {...props} />;
}
