import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useCan } from "@/api/session";
import { lowerPlaces, type Place, places } from "./navigation";
import classes from "./rail.module.css";
import type { ShellKind } from "./Shell";
import { UserMenu } from "./UserMenu";
import { WorkspaceMenu } from "./WorkspaceMenu";

/** The name of a place whose icon alone is seen. */
const Tip = lazy(() => import("@mantine/core").then((all) => ({ default: all.Tooltip })));

export function Rail({ kind }: { kind: ShellKind }) {
  const { t } = useLingui();
  return (
    <nav className={classes.rail} data-kind={kind} aria-label={t`Main`}>
      <WorkspaceMenu />
      {places.map((place) => (
        <RailLink key={place.to} place={place} mini={kind === "mini"} />
      ))}
      <span className={classes.space} />
      {lowerPlaces.map((place) => (
        <RailLink key={place.to} place={place} mini={kind === "mini"} />
      ))}
      <hr />
      <UserMenu />
    </nav>
  );
}

function RailLink({ place, mini }: { place: Place; mini: boolean }) {
  const { t } = useLingui();
  const can = useCan();
  if (!can(place.permission)) return null;
  const label = t(place.label);
  const link = (
    <Link to={place.to} className={classes.link} activeOptions={{ exact: place.to === "/" }}>
      <place.icon size={19} stroke={1.75} aria-hidden />
      <span className={classes.label}>{label}</span>
    </Link>
  );
  if (!mini) return link;
  return (
    <Suspense fallback={link}>
      <Tip label={label} position="right">
        {link}
      </Tip>
    </Suspense>
  );
}
