import { useLingui } from "@lingui/react/macro";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useCan } from "@/api/session";
import { barPlaces } from "./navigation";
import classes from "./shell.module.css";

const MoreDrawer = lazy(() => import("./MoreDrawer"));

/** The way around on a phone. */
export function BottomBar() {
  const { t } = useLingui();
  const can = useCan();
  const [open, more] = useDisclosure(false);
  const wanted = useEver(open);
  return (
    <nav className={classes.bar} aria-label={t`Main`}>
      {barPlaces
        .filter((place) => can(place.permission))
        .map((place) => (
          <Link key={place.to} to={place.to} className={classes.barItem} activeOptions={{ exact: place.to === "/" }}>
            <place.icon size={21} stroke={1.75} aria-hidden />
            <span>{t(place.short ?? place.label)}</span>
          </Link>
        ))}
      <button type="button" className={classes.barItem} onClick={more.open}>
        <IconDots size={21} stroke={1.75} aria-hidden />
        <span>{t`More`}</span>
      </button>
      {wanted && (
        <Suspense fallback={null}>
          <MoreDrawer open={open} close={more.close} />
        </Suspense>
      )}
    </nav>
  );
}

/** Whether it has ever been so: what was opened once stays there, to be seen closing. */
function useEver(now: boolean): boolean {
  const [ever, setEver] = useState(now);
  if (now && !ever) setEver(true);
  return ever || now;
}
