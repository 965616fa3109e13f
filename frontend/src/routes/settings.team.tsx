import { createFileRoute } from "@tanstack/react-router";
import { TeamSettings } from "@/pages/settings/TeamSettings";

export const Route = createFileRoute("/settings/team")({ component: TeamSettings });
