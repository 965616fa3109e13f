import { Trans } from "@lingui/react/macro";
import { IconCornerUpLeft } from "@tabler/icons-react";
import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import c from "./card.module.css";
import type { Route } from "./layout";
import { lookOf } from "./look";
import { select, useEditor, useEditorStore } from "./store";

/** A way that leads back, or into another part: a chip that names the step and jumps to it. */
export const GotoChip = memo(function GotoChip({ data }: NodeProps) {
  const route = data as unknown as Route;
  const store = useEditorStore();
  const to = route.to ?? "";
  const title = useEditor((s) => lookOf(s).title(to) || to);
  const lit = useEditor((s) => s.simulation && (s.simulation.lit.has(`${route.from}/${route.port}`) ? c.lit : c.unlit));
  return (
    <div className={c.pillBox}>
      <button
        type="button"
        tabIndex={-1}
        className={`nopan ${c.pill} ${lit ?? ""}`}
        onClick={() => {
          select(store, [to]);
          store.getState().camera?.centre(to);
        }}
      >
        <IconCornerUpLeft size={15} stroke={1.75} />
        <span className="cut">
          <Trans>
            Go to: <b>{title}</b>
          </Trans>
        </span>
      </button>
    </div>
  );
});
