import { Popover } from "@mantine/core";
import type { ReactElement } from "react";
import { UserPanel } from "./UserPanel";

interface UserPopoverProps {
  open: boolean;
  setOpen: (open: boolean) => void;
  /** The button it opens beside. */
  children: ReactElement;
}

export default function UserPopover({ open, setOpen, children }: UserPopoverProps) {
  return (
    <Popover opened={open} onChange={setOpen} position="right-end" trapFocus>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown>
        <UserPanel onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
