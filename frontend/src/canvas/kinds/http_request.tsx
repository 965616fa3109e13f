import { t } from "@lingui/core/macro";
import { IconWebhook } from "@tabler/icons-react";
import { humanise } from "../sentences";
import { defineKind, readable } from "./define";

export default defineKind({
  kind: "http_request",
  icon: IconWebhook,
  word: () => t`Asks another application`,
  ask: () => t`Which address?`,
  title: ({ config }) =>
    config.connection ? t`Ask ${humanise(String(config.connection))}` : config.url ? hostOf(String(config.url)) : "",
  summary: ({ config }) => (config.url ? `${config.method ?? "POST"} ${readable(String(config.url))}` : ""),
});

/** The part of an address people know a service by. */
function hostOf(url: string): string {
  return (
    readable(url)
      .replace(/^https?:\/\//, "")
      .split(/[/?#]/)[0] ?? ""
  );
}
