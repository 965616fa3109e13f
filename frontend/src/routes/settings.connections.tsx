import { createFileRoute } from "@tanstack/react-router";
import { ConnectionsSettings } from "@/pages/settings/ConnectionsSettings";

export const Route = createFileRoute("/settings/connections")({ component: ConnectionsSettings });
