import { createFileRoute } from "@tanstack/react-router";
import { WebhooksSettings } from "@/pages/settings/WebhooksSettings";

export const Route = createFileRoute("/settings/webhooks")({ component: WebhooksSettings });
