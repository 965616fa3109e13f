import { useLingui } from "@lingui/react/macro";
import { Drawer } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useCan } from "@/api/session";
import { morePlaces } from "./navigation";
import classes from "./shell.module.css";
import { UserPanel } from "./UserPanel";
import { WorkspaceMenu } from "./WorkspaceMenu";

/** On a phone: the places that the bar has no room for, and what is one's own. */
export default function MoreDrawer({ open, close }: { open: boolean; close: () => void }) {
  const { t } = useLingui();
  const can = useCan();
  return (
    <Drawer
      opened={open}
      onClose={close}
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
            <Link key={place.to} to={place.to} className={classes.moreLink} onClick={close}>
              <place.icon size={20} stroke={1.75} aria-hidden />
              {t(place.label)}
            </Link>
          ))}
        <hr />
        <UserPanel wide onDone={close} />
      </div>
    </Drawer>
  );
}
