import { t } from "@lingui/core/macro";
import { IconTagOff } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "remove_tag",
  icon: IconTagOff,
  word: () => t`Changes the person`,
  ask: () => t`Which tag?`,
  title: ({ config }) => (config.tag ? t`Take off the tag ${humanise(String(config.tag))}` : ""),
});
