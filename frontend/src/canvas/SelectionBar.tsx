import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Tooltip } from "@mantine/core";
import c from "./canvas.module.css";
import { commandIcon } from "./commandIcons";
import { available, command, run } from "./commands";
import { keysOf } from "./keyNames";
import { menus } from "./menus";
import { stopMoving } from "./moving";
import { useEditor, useEditorStore } from "./store";

/** Over the canvas while several steps are chosen, or while a place is being chosen for them. */
export function SelectionBar() {
  const { t } = useLingui();
  const store = useEditorStore();
  const count = useEditor((s) => s.selection.length);
  const moving = useEditor((s) => s.moving !== undefined);
  const hidden = useEditor((s) => s.proposal !== undefined || s.simulation !== undefined);
  if (hidden || (count < 2 && !moving)) return null;
  if (moving) {
    return (
      <div className={`${c.bar} ${c.float}`} data-testid="moving-bar">
        <span className={c.barText}>
          <Trans>Click a lit place, or choose it with the arrow keys and press Enter</Trans>
        </span>
        <button type="button" onClick={() => stopMoving(store)}>
          <Trans>Leave it where it is</Trans>
        </button>
      </div>
    );
  }
  return (
    <div className={`${c.bar} ${c.float}`} role="toolbar" aria-label={t`Chosen steps`} data-testid="selection-bar">
      <span className={c.barText}>{plural(count, { one: "# step chosen", other: "# steps chosen" })}</span>
      {menus.several.map((id) => (
        <BarButton key={id} id={id} />
      ))}
    </div>
  );
}

function BarButton({ id }: { id: string }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const found = command(id);
  const usable = useEditor((s) => found !== undefined && available(found, s));
  if (!found) return null;
  const Icon = commandIcon(id);
  const keys = keysOf(found);
  return (
    <Tooltip label={keys ? `${t(found.title)} · ${keys}` : t(found.title)}>
      <button type="button" data-command={id} disabled={!usable} onClick={() => run(store, id)}>
        {Icon && <Icon size={15} stroke={1.75} />}
        {t(found.title)}
      </button>
    </Tooltip>
  );
}
