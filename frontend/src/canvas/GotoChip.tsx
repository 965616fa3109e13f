import { Trans } from "@lingui/react/macro";
import { IconCornerUpLeft } from "@tabler/icons-react";
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import c from "./card.module.css";
import { titleOf } from "./kinds";
import type { Route } from "./layout";
import { stepById } from "./ports";
import { select, useEditor, useEditorStore } from "./store";

const hidden = { opacity: 0, pointerEvents: "none" } as const;

/** A way that leads back, or into another part: a chip that names the step and jumps to it. */
export const GotoChip = memo(function GotoChip({ data }: NodeProps) {
  const route = data as unknown as Route;
  const store = useEditorStore();
  const to = route.to ?? "";
  const title = useEditor((s) => {
    const step = stepById(s.shown.graph, to);
    return step ? titleOf(step, s.catalogue, s.shown) : to;
  });
  const lit = useEditor((s) => s.simulation && (s.simulation.lit.has(`${route.from}/${route.port}`) ? c.lit : c.unlit));
  return (
    <div className={c.pillBox}>
      <Handle type="target" position={Position.Top} isConnectable={false} style={hidden} />
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

/** The invisible end of an open way: its '+' is drawn with the others. */
export const OpenEnd = memo(function OpenEnd() {
  return <Handle type="target" position={Position.Top} isConnectable={false} style={hidden} />;
});
