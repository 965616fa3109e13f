import { createFileRoute, redirect } from "@tanstack/react-router";

/** The address that invitations carry. */
export const Route = createFileRoute("/invitation/$token")({
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/invite/$token", params, replace: true });
  },
});
