import { t } from "@lingui/core/macro";
import { IconPlaylistX } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind } from "./define";

export default defineKind({
  kind: "remove_from_list",
  icon: IconPlaylistX,
  word: () => t`Changes the person`,
  ask: () => t`Which list?`,
  title: ({ config }) => (config.list ? t`Take off the list ${humanise(String(config.list))}` : ""),
});
