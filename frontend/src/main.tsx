import "@fontsource-variable/inter/wght.css";
import "./theme/mantine.css";
import "./theme/tokens.css";
import "./theme/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "./api/query";
import { firstLanguage, setLanguage } from "./i18n";
import { routeTree } from "./routeTree.gen";
import { schemeManager } from "./theme/scheme";
import { resolveVariables, theme } from "./theme/theme";
import { Failure } from "./ui/Failure";
import { PageSkeleton } from "./ui/Skeletons";

const queryClient = makeQueryClient();

/** What needs the router though it belongs to no page: toasts hold links. */
function Inside({ children }: { children: ReactNode }) {
  return (
    <>
      <Notifications position="bottom-right" autoClose={10_000} limit={4} containerWidth={400} />
      {children}
    </>
  );
}

const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: "intent",
  // Query decides what is fresh; the router keeps nothing of its own.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: Failure,
  scrollRestoration: true,
  InnerWrap: Inside,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

await setLanguage(firstLanguage());

createRoot(root).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={resolveVariables}
        colorSchemeManager={schemeManager}
        defaultColorScheme="auto"
        deduplicateCssVariables={false}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>
  </StrictMode>,
);
