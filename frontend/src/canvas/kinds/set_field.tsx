import { t } from "@lingui/core/macro";
import { IconPencil } from "@tabler/icons-react";
import { fieldName } from "../sentences";
import { defineKind, readable } from "./define";

export default defineKind({
  kind: "set_field",
  icon: IconPencil,
  word: () => t`Changes the person`,
  ask: () => t`Which field?`,
  title: ({ config }) => (config.field ? t`Write ${fieldName(String(config.field).replace(/^field:/, ""))}` : ""),
  summary: ({ config }) => (config.value ? `“${readable(String(config.value))}”` : ""),
});
