import { t } from "@lingui/core/macro";
import { IconMail } from "@tabler/icons-react";
import { defineKind, subjectOf } from "./define";

export default defineKind({
  kind: "send_email",
  icon: IconMail,
  word: () => t`Sends an e-mail`,
  ask: () => t`What should it say?`,
  title: (step, { doc }) => subjectOf(step, doc),
  summary: (step, { doc }) => (step.name && subjectOf(step, doc) ? `“${subjectOf(step, doc)}”` : ""),
});
