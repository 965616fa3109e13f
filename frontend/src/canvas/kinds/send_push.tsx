import { t } from "@lingui/core/macro";
import { IconBell } from "@tabler/icons-react";
import { defineKind, headlineOf } from "./define";

export default defineKind({
  kind: "send_push",
  icon: IconBell,
  word: () => t`Sends a push`,
  ask: () => t`What should it say?`,
  title: (step, { doc }) => headlineOf(step, doc),
  summary: (step, { doc }) => (step.name && headlineOf(step, doc) ? `“${headlineOf(step, doc)}”` : ""),
});
