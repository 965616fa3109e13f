import { t } from "@lingui/core/macro";
import { IconPlaylistAdd } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "add_to_list",
  icon: IconPlaylistAdd,
  word: () => t`Changes the person`,
  ask: () => t`Which list?`,
  title: ({ config }) => (config.list ? t`Add to the list ${humanise(String(config.list))}` : ""),
});
