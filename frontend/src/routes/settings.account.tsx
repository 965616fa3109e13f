import { createFileRoute } from "@tanstack/react-router";
import { AccountSettings } from "@/pages/settings/AccountSettings";

export const Route = createFileRoute("/settings/account")({ component: AccountSettings });
