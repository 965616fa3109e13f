import { useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useEnterWorkspace, useSession } from "@/api/session";
import { useToast } from "@/ui/toast";

interface WorkspaceChoiceProps {
  open: boolean;
  setOpen: (open: boolean) => void;
  /** The button it opens below. */
  children: ReactElement;
}

export default function WorkspaceChoice({ open, setOpen, children }: WorkspaceChoiceProps) {
  const { t } = useLingui();
  const session = useSession();
  const enter = useEnterWorkspace();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <Menu width={240} opened={open} onChange={setOpen}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t`Workspaces`}</Menu.Label>
        {session.workspaces.map((workspace) => (
          <Menu.Item
            key={workspace.id}
            rightSection={
              workspace.id === session.workspace?.id ? (
                <IconCheck size={14} stroke={2} aria-label={t`You are here`} />
              ) : null
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
