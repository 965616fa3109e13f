import { t } from "@lingui/core/macro";
import { IconClock } from "@tabler/icons-react";
import { duration, eventName, fieldName, inDays, ruleSentence } from "../sentences";
import type { Duration, Offset, Rule } from "../types";
import { word } from "../words";
import { defineKind } from "./define";

export default defineKind({
  kind: "wait",
  icon: IconClock,
  word: () => t`Waits`,
  ask: () => t`Wait how long?`,
  title: ({ config }, naming) => {
    switch (config.mode) {
      case "date":
        return config.date ? t`Wait until ${String(config.date).replace("T", " ")}` : "";
      case "date_field": {
        if (!config.field) return "";
        const field = fieldName(String(config.field).replace(/^field:/, ""));
        const offset = config.offset as Offset | undefined;
        if (!offset?.amount) return t`Wait until: ${field}`;
        return offset.direction === "before"
          ? t`Wait until ${duration(offset)} before: ${field}`
          : t`Wait until ${duration(offset)} after: ${field}`;
      }
      case "weekday": {
        const days = Array.isArray(config.weekdays) ? (config.weekdays as string[]) : [];
        const names = days.map((d) => word(`weekday.${d}`, d.charAt(0).toUpperCase() + d.slice(1))).join(", ");
        return names ? t`Wait for ${names}${config.at ? ` ${String(config.at)}` : ""}` : "";
      }
      case "until_event": {
        const name = (config.event as { name?: string } | undefined)?.name;
        return name ? t`Wait for: ${eventName(name)}` : "";
      }
      case "until_rule":
        return config.rule ? t`Wait until: ${ruleSentence(config.rule as Rule, naming)}` : "";
      default: {
        const length = config.for as Duration | undefined;
        if (!length?.amount) return "";
        return config.at ? `${t`Wait ${duration(length)}`}, ${String(config.at)}` : t`Wait ${duration(length)}`;
      }
    }
  },
  days: ({ config }) => (config.mode === "duration" || !config.mode ? inDays(config.for as Duration | undefined) : 0),
});
