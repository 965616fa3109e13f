import { t } from "@lingui/core/macro";
import { IconDoorExit } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "exit_funnel",
  icon: IconDoorExit,
  word: () => t`Leaves a funnel`,
  ask: () => t`Which funnel?`,
  title: ({ config }) => {
    if (config.which === "all") return t`Leave all funnels`;
    if (config.which === "named") return config.funnel ? t`Leave the funnel ${humanise(String(config.funnel))}` : "";
    return t`Leave this funnel`;
  },
});
