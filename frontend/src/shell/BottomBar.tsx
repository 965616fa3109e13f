import { useLingui } from "@lingui/react/macro";
import { Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useCan } from "@/api/session";
import { barPlaces, morePlaces } from "./navigation";
import classes from "./shell.module.css";
import { UserPanel } from "./UserMenu";
import { WorkspaceMenu } from "./WorkspaceMenu";

/** The way around on a phone. */
export function BottomBar() {
  const { t } = useLingui();
  const can = useCan();
  const [open, more] = useDisclosure(false);
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
      <Drawer
        opened={open}
        onClose={more.close}
        position="bottom"
        size="auto"
        title={t`More`}
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        <div className={classes.more}>
          <WorkspaceMenu />
          {morePlaces
            .filter((place) => can(place.permission))
            .map((place) => (
              <Link key={place.to} to={place.to} className={classes.moreLink} onClick={more.close}>
                <place.icon size={20} stroke={1.75} aria-hidden />
                {t(place.label)}
              </Link>
            ))}
          <hr />
          <UserPanel wide onDone={more.close} />
        </div>
      </Drawer>
    </nav>
  );
}
