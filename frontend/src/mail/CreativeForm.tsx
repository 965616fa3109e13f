import type { Creative, Step } from "@/canvas/types";
import { MailForm } from "./MailForm";
import m from "./mail.module.css";
import { PhoneForm } from "./PhoneForm";
import { WriteForMe } from "./WriteForMe";

/** The form of a message: blocks for a mail or a letter, plain words for a phone. */
export function CreativeForm(props: { step: Step; slug: string; creative: Creative }) {
  const { channel } = props.creative;
  return (
    <div className={m.stack}>
      <WriteForMe {...props} />
      {channel === "email" || channel === "letter" ? <MailForm {...props} /> : <PhoneForm {...props} />}
    </div>
  );
}
