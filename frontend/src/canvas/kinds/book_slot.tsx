import { t } from "@lingui/core/macro";
import { IconCalendarPlus } from "@tabler/icons-react";
import { duration, humanise } from "../sentences";
import type { Duration } from "../types";
import { defineKind } from "./define";

export default defineKind({
  kind: "book_slot",
  icon: IconCalendarPlus,
  word: () => t`Books a time`,
  ask: () => t`What to book?`,
  title: ({ config }) => (config.resource ? t`Book ${humanise(String(config.resource))}` : ""),
  summary: ({ config }) => {
    if (config.rule === "from_event") return t`at the time the event names`;
    return config.within ? t`the first free time within ${duration(config.within as Duration)}` : "";
  },
});
