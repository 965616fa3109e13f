import { t } from "@lingui/core/macro";
import { IconBellRinging } from "@tabler/icons-react";
import { defineKind, readable } from "./define";

export default defineKind({
  kind: "notify_team",
  icon: IconBellRinging,
  word: () => t`Tells the team`,
  ask: () => t`What should they hear?`,
  title: ({ config }) => {
    if (!config.text) return "";
    if (config.via === "slack") return t`Tell the team by Slack`;
    if (config.via === "telegram") return t`Tell the team by Telegram`;
    return t`Tell the team by e-mail`;
  },
  summary: ({ config }) => (config.text ? `“${readable(String(config.text))}”` : ""),
});
