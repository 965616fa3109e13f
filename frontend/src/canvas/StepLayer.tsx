import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import type { FlowNode } from "./flow";
import { GotoChip } from "./GotoChip";
import { Slots } from "./Slots";
import { StepCard } from "./StepCard";
import { useEditor } from "./store";

/**
 * The cards and chips. They are not nodes of React Flow: that would measure, watch and keep each of five hundred boxes whose
 * place and size the layout has decided already.
 */
export function StepLayer() {
  const nodes = useEditor((s) => s.flow.nodes);
  return (
    <ViewportPortal>
      {nodes.map((node) => (
        <Place key={node.id} node={node} />
      ))}
    </ViewportPortal>
  );
}

/** A card that is only moved is not drawn anew: its box moves, and what is in it stays as it is. */
const Place = memo(function Place({ node }: { node: FlowNode }) {
  const { x, y } = node.position;
  return (
    <div className={c.place} data-place={node.id} style={{ left: x, top: y, width: node.width, height: node.height }}>
      {node.type === "step" ? <StepCard step={node.data} /> : <GotoChip route={node.data} />}
      {node.type === "step" && <Slots ways={node.ways} />}
    </div>
  );
});
