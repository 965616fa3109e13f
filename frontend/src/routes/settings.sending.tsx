import { createFileRoute } from "@tanstack/react-router";
import { needCatalogue } from "@/i18n";
import { Sending } from "@/pages/sending/Sending";

export const Route = createFileRoute("/settings/sending")({
  loader: () => needCatalogue("sending"),
  component: Sending,
});
