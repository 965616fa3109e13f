import { useLingui } from "@lingui/react/macro";
import { SegmentedControl, Tooltip } from "@mantine/core";
import { IconListTree, IconPlus, IconSitemap } from "@tabler/icons-react";
import c from "./canvas.module.css";
import { commandIcon } from "./commandIcons";
import { command, run } from "./commands";
import { keysOf } from "./keyNames";
import { set, useEditor, useEditorStore } from "./store";

/** Top left: canvas or outline, and the palette. */
export function Tools() {
  const { t } = useLingui();
  const store = useEditorStore();
  const open = useEditor((s) => s.picker !== undefined && !s.picker.slot);
  const hidden = useEditor((s) => s.proposal !== undefined);
  if (hidden) return null;
  return (
    <div className={c.tools}>
      <div className={c.float}>
        <ViewSwitch />
      </div>
      <div className={`${c.stack} ${c.float}`}>
        <button
          type="button"
          aria-label={t`Add a step`}
          title={t`Add a step`}
          aria-haspopup="dialog"
          aria-expanded={open}
          data-testid="open-palette"
          onClick={(e) => {
            const r = e.currentTarget.getBoundingClientRect();
            set(store, { picker: { x: r.right + 10, y: r.top } });
          }}
        >
          <IconPlus size={18} stroke={1.75} />
        </button>
        {["find", "note", "direction", "why", "shortcuts"].map((id) => (
          <ToolButton key={id} id={id} />
        ))}
        <FreeButtons />
      </div>
    </div>
  );
}

function ToolButton({ id }: { id: string }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const found = command(id);
  if (!found) return null;
  const Icon = commandIcon(id);
  const keys = keysOf(found);
  const title = t(found.title);
  return (
    <Tooltip label={keys ? `${title} · ${keys}` : title} position="right">
      <button type="button" aria-label={title} data-command={id} onClick={() => run(store, id)}>
        {Icon && <Icon size={18} stroke={1.75} />}
      </button>
    </Tooltip>
  );
}

/** Tidy up is offered where there is something to tidy: in a free picture. */
function FreeButtons() {
  const free = useEditor((s) => s.shown.layout.free === true);
  return free ? <ToolButton id="tidy" /> : null;
}

export function ViewSwitch() {
  const { t } = useLingui();
  const store = useEditorStore();
  const view = useEditor((s) => s.view);
  return (
    <SegmentedControl
      aria-label={t`View`}
      value={view}
      onChange={(v) => set(store, { view: v as "canvas" | "outline" })}
      data={[
        { value: "canvas", label: <Choice icon={IconSitemap} text={t`Canvas`} /> },
        { value: "outline", label: <Choice icon={IconListTree} text={t`Outline`} /> },
      ]}
    />
  );
}

function Choice({ icon: Icon, text }: { icon: typeof IconSitemap; text: string }) {
  return (
    <span style={{ display: "inline-flex", gap: 6, alignItems: "center" }}>
      <Icon size={14} stroke={1.75} />
      {text}
    </span>
  );
}
