import { t } from "@lingui/core/macro";
import { IconFilter } from "@tabler/icons-react";
import { duration } from "../sentences";
import type { Duration } from "../types";
import { defineKind } from "./define";

export default defineKind({
  kind: "throttle",
  icon: IconFilter,
  word: () => t`Waits`,
  ask: () => t`How many people in how long?`,
  title: ({ config }) => {
    const per = config.per as Duration | undefined;
    return config.count && per?.amount ? t`At most ${String(config.count)} in ${duration(per)}` : "";
  },
});
