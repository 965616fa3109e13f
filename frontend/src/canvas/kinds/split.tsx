import { t } from "@lingui/core/macro";
import { IconArrowsSplit2 } from "@tabler/icons-react";
import type { Arm } from "../types";
import { defineKind } from "./define";

export default defineKind({
  kind: "split",
  icon: IconArrowsSplit2,
  word: () => t`Splits at random`,
  ask: () => t`How should people be divided?`,
  title: ({ config }) => {
    const arms = Array.isArray(config.arms) ? (config.arms as Arm[]) : [];
    return arms.map((a) => `${a.label || a.id} ${a.weight} %${a.hold_out ? ` (${t`hold-out`})` : ""}`).join(" · ");
  },
});
