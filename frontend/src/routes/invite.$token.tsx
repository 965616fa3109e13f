import { createFileRoute } from "@tanstack/react-router";
import { Invite } from "@/pages/door/Invite";

export const Route = createFileRoute("/invite/$token")({
  staticData: { shell: "none" },
  component: () => <Invite token={Route.useParams().token} />,
});
