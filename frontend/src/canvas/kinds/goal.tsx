import { t } from "@lingui/core/macro";
import { IconFlag } from "@tabler/icons-react";
import { eventName } from "../sentences";
import { defineKind, ruleTitle } from "./define";

export default defineKind({
  kind: "goal",
  icon: IconFlag,
  word: () => t`Ends early when`,
  ask: () => t`What is the goal?`,
  title: (step, naming) => {
    if (step.config.mode === "rule") return ruleTitle(step, naming);
    const name = (step.config.event as { name?: string } | undefined)?.name;
    return name ? eventName(name) : "";
  },
  summary: () => t`The rest is cancelled`,
});
