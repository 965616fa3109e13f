import { createFileRoute } from "@tanstack/react-router";
import { Reset } from "@/pages/door/Reset";

export const Route = createFileRoute("/reset_/$token")({
  staticData: { shell: "none" },
  component: () => <Reset token={Route.useParams().token} />,
});
