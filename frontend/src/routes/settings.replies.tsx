import { createFileRoute } from "@tanstack/react-router";
import { RepliesSettings } from "@/pages/settings/RepliesSettings";

export const Route = createFileRoute("/settings/replies")({ component: RepliesSettings });
