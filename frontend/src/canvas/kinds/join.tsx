import { t } from "@lingui/core/macro";
import { IconArrowMerge } from "@tabler/icons-react";
import { defineKind } from "./define";

export default defineKind({
  kind: "join",
  icon: IconArrowMerge,
  word: () => t`Paths meet`,
  ask: () => t`Paths meet`,
  title: () => t`Paths meet`,
});
