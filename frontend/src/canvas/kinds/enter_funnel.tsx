import { t } from "@lingui/core/macro";
import { IconArrowRampRight } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "enter_funnel",
  icon: IconArrowRampRight,
  word: () => t`Starts another funnel`,
  ask: () => t`Which funnel?`,
  title: ({ config }) => (config.funnel ? t`Enter the funnel ${humanise(String(config.funnel))}` : ""),
  summary: ({ config }) => (config.wait ? t`and wait until they are through it` : ""),
});
