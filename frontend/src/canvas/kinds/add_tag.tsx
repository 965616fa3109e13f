import { t } from "@lingui/core/macro";
import { IconTag } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "add_tag",
  icon: IconTag,
  word: () => t`Changes the person`,
  ask: () => t`Which tag?`,
  title: ({ config }) => (config.tag ? t`Add the tag ${humanise(String(config.tag))}` : ""),
});
