import { useLingui } from "@lingui/react/macro";
import { IconMap, IconMapOff, IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react";
import { useStore } from "@xyflow/react";
import c from "./canvas.module.css";
import { run } from "./commands";
import { FunnelMap } from "./FunnelMap";
import { useEditor, useEditorStore } from "./store";

/** The small map with the zoom below it. Whether it is open is remembered on this device. */
export function MapPanel() {
  const { t } = useLingui();
  const store = useEditorStore();
  const zoom = useStore((s) => s.transform[2]);
  const open = useEditor((s) => s.map);
  const toggle = () => run(store, "map");
  const camera = () => store.getState().camera;
  return (
    <div className={`${c.map} ${c.float}`}>
      {open && <FunnelMap />}
      <div className={c.zoom} style={open ? undefined : { borderTop: 0 }}>
        <button type="button" aria-label={t`Zoom out`} title={t`Zoom out`} onClick={() => camera()?.zoom(1 / 1.2)}>
          <IconMinus size={15} stroke={1.75} />
        </button>
        <button
          type="button"
          title={t`Zoom to 100 %`}
          data-zoom={Math.round(zoom * 100)}
          onClick={() => camera()?.zoom("100%")}
        >
          {Math.round(zoom * 100)} %
        </button>
        <button type="button" aria-label={t`Zoom in`} title={t`Zoom in`} onClick={() => camera()?.zoom(1.2)}>
          <IconPlus size={15} stroke={1.75} />
        </button>
        <button
          type="button"
          aria-label={t`Show everything`}
          title={t`Show everything`}
          onClick={() => camera()?.fit()}
        >
          <IconMaximize size={15} stroke={1.75} />
        </button>
        <button
          type="button"
          aria-label={open ? t`Hide the map` : t`Show the map`}
          title={open ? t`Hide the map` : t`Show the map`}
          onClick={toggle}
        >
          {open ? <IconMapOff size={15} stroke={1.75} /> : <IconMap size={15} stroke={1.75} />}
        </button>
      </div>
    </div>
  );
}
