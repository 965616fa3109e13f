import { useLingui } from "@lingui/react/macro";
import { Outlet, useMatches, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { BottomBar } from "./BottomBar";
import { Rail } from "./Rail";
import classes from "./shell.module.css";

export type ShellKind = "none" | "mini" | "mid" | "full";

/** The rail, the page, and on a phone a bar below. Which rail, the page's route says (staticData.shell). */
export function Shell() {
  const { t } = useLingui();
  const kind = useMatches({ select: (matches) => matches.at(-1)?.staticData.shell ?? "full" });
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const main = useRef<HTMLElement>(null);

  // A new page starts at its top, as a document would.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes the page
  useEffect(() => {
    main.current?.scrollTo(0, 0);
  }, [path]);

  if (kind === "none") return <Outlet />;
  return (
    <div className={classes.shell} data-kind={kind}>
      <a className={classes.skip} href="#main">
        {t`Skip to the page`}
      </a>
      <Rail kind={kind} />
      <main ref={main} id="main" className={classes.main} tabIndex={-1}>
        <Outlet />
      </main>
      <BottomBar />
    </div>
  );
}
