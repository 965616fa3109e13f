import { useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { IconCheck, IconFilter, IconSelector } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEnterWorkspace, useSession } from "@/api/session";
import { useToast } from "@/ui/toast";
import classes from "./rail.module.css";
import { useRoleName } from "./roles";

/** Where one is, and the way to another workspace. With one workspace it only says its name. */
export function WorkspaceMenu() {
  const { t } = useLingui();
  const session = useSession();
  const enter = useEnterWorkspace();
  const navigate = useNavigate();
  const toast = useToast();
  const roleName = useRoleName();
  const here = session.workspace;

  const sign = (
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
  if (session.workspaces.length < 2)
    return (
      <div className={classes.workspace} style={{ cursor: "default" }} title={here?.name}>
        {sign}
      </div>
    );
  return (
    <Menu width={240}>
      <Menu.Target>
        <button type="button" className={classes.workspace}>
          <span className="visually-hidden">{t`Workspace`}</span>
          {sign}
          <IconSelector className={classes.chevron} size={16} stroke={1.75} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t`Workspaces`}</Menu.Label>
        {session.workspaces.map((workspace) => (
          <Menu.Item
            key={workspace.id}
            rightSection={
              workspace.id === here?.id ? <IconCheck size={14} stroke={2} aria-label={t`You are here`} /> : null
            }
            onClick={async () => {
              try {
                await navigate({ to: "/" });
                await enter(workspace.id);
              } catch (error) {
                toast.failed(error);
              }
            }}
          >
            {workspace.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
