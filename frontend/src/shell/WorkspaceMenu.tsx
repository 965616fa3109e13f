import { useLingui } from "@lingui/react/macro";
import { IconFilter, IconSelector } from "@tabler/icons-react";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import { useSession } from "@/api/session";
import classes from "./rail.module.css";
import { useRoleName } from "./roles";

const WorkspaceChoice = lazy(() => import("./WorkspaceChoice"));

/** Where one is, and the way to another workspace. With one workspace it only says its name. */
export function WorkspaceMenu() {
  const session = useSession();
  const [open, setOpen] = useState(false);
  if (session.workspaces.length < 2)
    return (
      <div className={classes.workspace} style={{ cursor: "default" }} title={session.workspace?.name}>
        <Sign />
      </div>
    );
  const button = <Button aria-expanded={open} onClick={() => setOpen((was) => !was)} />;
  return (
    <Suspense fallback={button}>
      <WorkspaceChoice open={open} setOpen={setOpen}>
        <Button />
      </WorkspaceChoice>
    </Suspense>
  );
}

function Button(props: ComponentProps<"button">) {
  const { t } = useLingui();
  return (
    <button type="button" {...props} className={classes.workspace}>
      <span className="visually-hidden">{t`Workspace`}</span>
      <Sign />
      <IconSelector className={classes.chevron} size={16} stroke={1.75} aria-hidden />
    </button>
  );
}

function Sign() {
  const here = useSession().workspace;
  const roleName = useRoleName();
  return (
    <>
      <span className={classes.mark}>
        <IconFilter size={16} stroke={2.4} aria-hidden />
      </span>
      <span className={classes.names}>
        <b className="cut">{here?.name ?? "Lejek"}</b>
        {here && <small className="cut">{roleName(here.role)}</small>}
      </span>
    </>
  );
}
