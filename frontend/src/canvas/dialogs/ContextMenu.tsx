import { useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { CommandItems } from "../CommandMenu";
import { menus } from "../menus";
import { set, useEditor, useEditorStore } from "../store";

/** The menu of the right button, where it was pressed. */
export function ContextMenu({ x, y, on }: { x: number; y: number; on: "step" | "ground" | "edge" }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const several = useEditor((s) => s.selection.length > 1);
  const close = () => {
    if (store.getState().dialog?.kind === "menu") set(store, { dialog: undefined });
  };
  return (
    <Menu opened onClose={close} position="bottom-start" offset={2} withinPortal>
      <Menu.Target>
        <span style={{ position: "fixed", left: x, top: y, width: 1, height: 1 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t`Menu`} data-testid="context-menu">
        <CommandItems ids={on === "step" && several ? menus.several : menus[on]} />
      </Menu.Dropdown>
    </Menu>
  );
}
