import { useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { Fragment } from "react";
import { commandIcon } from "./commandIcons";
import { available, type Command, command, run } from "./commands";
import { keysOf } from "./keyNames";
import { useEditor, useEditorStore } from "./store";

interface Props {
  ids: readonly string[];
  /** Called before a command runs, to choose what it is about. */
  before?: () => void;
}

/** Commands as items of a menu. What cannot be used now is left out, and so are lines with nothing above them. */
export function CommandItems({ ids, before }: Props) {
  const usable = useEditor((s) => ids.filter((id) => id === "-" || before || fits(command(id), s)).join(" "));
  const shown = usable
    .split(" ")
    .filter((id, i, all) => id !== "-" || (i > 0 && i < all.length - 1 && all[i - 1] !== "-"));
  return (
    <>
      {shown.map((id, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <Fragment key={`${id}${i}`}>
          {id === "-" ? <Menu.Divider /> : <Item found={command(id)} {...(before ? { before } : {})} />}
        </Fragment>
      ))}
    </>
  );
}

function fits(found: Command | undefined, s: Parameters<typeof available>[1]): boolean {
  return found !== undefined && available(found, s);
}

function Item({ found, before }: { found: Command | undefined; before?: () => void }) {
  const { t } = useLingui();
  const store = useEditorStore();
  if (!found) return null;
  const Icon = commandIcon(found.id);
  const keys = keysOf(found);
  return (
    <Menu.Item
      data-command={found.id}
      aria-label={t(found.title)}
      aria-keyshortcuts={found.keys[0]?.replace("Mod", "Control")}
      {...(found.id === "remove" ? { color: "red" } : {})}
      leftSection={Icon ? <Icon size={15} stroke={1.75} /> : <span style={{ width: 15 }} />}
      rightSection={
        keys ? (
          <span className="meta" style={{ paddingLeft: 16 }}>
            {keys}
          </span>
        ) : undefined
      }
      onClick={() => {
        before?.();
        run(store, found.id);
      }}
    >
      {t(found.title)}
    </Menu.Item>
  );
}
