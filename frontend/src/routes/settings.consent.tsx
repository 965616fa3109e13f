import { createFileRoute } from "@tanstack/react-router";
import { ConsentSettings } from "@/pages/settings/ConsentSettings";

export const Route = createFileRoute("/settings/consent")({ component: ConsentSettings });
