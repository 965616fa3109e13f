import { useLingui } from "@lingui/react/macro";
import { SegmentedControl } from "@mantine/core";
import { IconKeyboard, IconListTree, IconPlus, IconSitemap } from "@tabler/icons-react";
import c from "./canvas.module.css";
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
        <button
          type="button"
          aria-label={t`Keyboard shortcuts`}
          title={t`Keyboard shortcuts`}
          onClick={() => set(store, { dialog: { kind: "shortcuts" } })}
        >
          <IconKeyboard size={18} stroke={1.75} />
        </button>
      </div>
    </div>
  );
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
