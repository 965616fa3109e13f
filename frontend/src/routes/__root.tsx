import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext } from "@tanstack/react-router";
import { Shell, type ShellKind } from "@/shell/Shell";
import { NotFound } from "@/ui/NotFound";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What surrounds the page: nothing, or the navigation with open rail ("full", the default), with labels ("mid") or icons ("mini"). */
    shell?: ShellKind;
  }
}

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFound,
});
