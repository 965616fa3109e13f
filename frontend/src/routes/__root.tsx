import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, redirect } from "@tanstack/react-router";
import { isProblem } from "@/api/problem";
import { sessionQuery, setupQuery } from "@/api/session";
import { setLanguage } from "@/i18n";
import { Shell, type ShellKind } from "@/shell/Shell";
import { NotFound } from "@/ui/NotFound";
import { remembered } from "@/ui/remember";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What surrounds the page: nothing, or the navigation with open rail ("full", the default), with labels ("mid") or icons ("mini"). */
    shell?: ShellKind;
  }
}

/** Pages that need nobody to be signed in. */
const open = ["/login", "/setup", "/reset", "/invite", "/invitation"];

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: async ({ context, location }) => {
    if (open.some((path) => location.pathname === path || location.pathname.startsWith(`${path}/`))) return;
    try {
      const session = await context.queryClient.ensureQueryData(sessionQuery);
      // The account's language holds where this device has made no choice of its own.
      if (!remembered("language")) await setLanguage(session.user.language);
    } catch (error) {
      if (!isProblem(error, "unauthenticated") && !(isProblem(error) && error.status === 401)) throw error;
      const setup = await context.queryClient.fetchQuery(setupQuery);
      if (setup.needed) throw redirect({ to: "/setup" });
      throw redirect({ to: "/login", search: location.pathname === "/" ? {} : { next: location.href } });
    }
  },
  component: Shell,
  notFoundComponent: NotFound,
});
