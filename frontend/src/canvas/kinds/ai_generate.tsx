import { plural, t } from "@lingui/core/macro";
import { IconSparkles } from "@tabler/icons-react";
import type { Step } from "../types";
import { defineKind } from "./define";

function names(step: Step): string[] {
  const list = (step.config.variables ?? []) as { name?: string }[];
  return list.map((v) => v.name ?? "").filter(Boolean);
}

export default defineKind({
  kind: "ai_generate",
  icon: IconSparkles,
  word: () => t`Writes with AI`,
  ask: () => t`What should be written?`,
  title: (step) => {
    const count = names(step).length;
    return count > 0 ? plural(count, { one: "Write # text", other: "Write # texts" }) : "";
  },
  summary: (step) => names(step).join(", "),
});
