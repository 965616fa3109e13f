import { t } from "@lingui/core/macro";
import { IconGitFork } from "@tabler/icons-react";
import { defineKind, ruleTitle } from "./define";

export default defineKind({
  kind: "condition",
  icon: IconGitFork,
  word: () => t`Decides`,
  ask: () => t`What should it ask?`,
  title: (step, naming) => {
    const title = ruleTitle(step, naming);
    return title ? `${title}?` : "";
  },
});
