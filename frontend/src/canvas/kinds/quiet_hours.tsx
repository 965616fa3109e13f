import { t } from "@lingui/core/macro";
import { IconMoon } from "@tabler/icons-react";
import { word } from "../words";
import { defineKind } from "./define";

export default defineKind({
  kind: "quiet_hours",
  icon: IconMoon,
  word: () => t`Holds messages back`,
  ask: () => t`From when to when?`,
  title: ({ config }) =>
    config.from && config.to ? t`No marketing from ${String(config.from)} to ${String(config.to)}` : "",
  summary: ({ config }) =>
    Array.isArray(config.days) ? (config.days as string[]).map((d) => word(`weekday.${d}`, d)).join(", ") : "",
});
