import { createFileRoute, redirect } from "@tanstack/react-router";
import { setupQuery } from "@/api/session";
import { Setup } from "@/pages/door/Setup";

export const Route = createFileRoute("/setup")({
  staticData: { shell: "none" },
  beforeLoad: async ({ context }) => {
    const setup = await context.queryClient.fetchQuery(setupQuery);
    if (!setup.needed) throw redirect({ to: "/" });
  },
  component: Setup,
});
