import { t } from "@lingui/core/macro";
import { IconBolt } from "@tabler/icons-react";
import { triggersOf } from "../sizes";
import { triggerSentence } from "../triggers";
import { defineKind } from "./define";

export default defineKind({
  kind: "entry",
  icon: IconBolt,
  word: () => t`Starts when`,
  ask: () => t`What starts this?`,
  title: (step) => {
    const first = triggersOf(step)[0];
    return first ? triggerSentence(first).title : "";
  },
});
