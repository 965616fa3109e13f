import { t } from "@lingui/core/macro";
import { IconCreditCard } from "@tabler/icons-react";
import { defineKind, readable } from "./define";

export default defineKind({
  kind: "create_payment",
  icon: IconCreditCard,
  word: () => t`Creates a payment`,
  ask: () => t`How much?`,
  title: ({ config }) =>
    config.amount ? t`Ask for ${`${readable(String(config.amount))} ${String(config.currency ?? "")}`.trim()}` : "",
  summary: ({ config }) => (config.title ? readable(String(config.title)) : ""),
});
