import { createFileRoute } from "@tanstack/react-router";
import { SendersSettings } from "@/pages/settings/SendersSettings";

export const Route = createFileRoute("/settings/senders")({ component: SendersSettings });
