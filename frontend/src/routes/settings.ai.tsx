import { createFileRoute } from "@tanstack/react-router";
import { AiSettings } from "@/pages/settings/AiSettings";

export const Route = createFileRoute("/settings/ai")({ component: AiSettings });
