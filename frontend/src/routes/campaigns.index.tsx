import { createFileRoute } from "@tanstack/react-router";
import { Campaigns } from "@/pages/campaigns/Campaigns";

export const Route = createFileRoute("/campaigns/")({ component: Campaigns });
