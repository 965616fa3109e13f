import { t } from "@lingui/core/macro";
import { IconMessage } from "@tabler/icons-react";
import { defineKind, headlineOf } from "./define";

export default defineKind({
  kind: "send_sms",
  icon: IconMessage,
  word: () => t`Sends a text`,
  ask: () => t`What should it say?`,
  title: (step, { doc }) => headlineOf(step, doc),
  summary: (step, { doc }) => (step.name && headlineOf(step, doc) ? `“${headlineOf(step, doc)}”` : ""),
});
