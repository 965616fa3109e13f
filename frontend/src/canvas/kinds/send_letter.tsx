import { t } from "@lingui/core/macro";
import { IconFileText } from "@tabler/icons-react";
import { defineKind, headlineOf } from "./define";

export default defineKind({
  kind: "send_letter",
  icon: IconFileText,
  word: () => t`Sends a letter`,
  ask: () => t`What should it say?`,
  title: (step, { doc }) => headlineOf(step, doc),
  summary: (step, { doc }) => (step.name && headlineOf(step, doc) ? `“${headlineOf(step, doc)}”` : ""),
});
