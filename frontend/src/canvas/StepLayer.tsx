import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import type { Band, FlowNode } from "./flow";
import { GotoChip } from "./GotoChip";
import type { Route } from "./layout";
import { Slots } from "./Slots";
import { StepCard } from "./StepCard";
import { useEditor } from "./store";
import { Wire } from "./Wire";

/**
 * The cards and chips, and the links under them. They are not nodes of React Flow: that would measure, watch and keep each of
 * five hundred boxes whose place and size the layout has decided already.
 */
export function StepLayer() {
  const bands = useEditor((s) => s.flow.bands);
  return (
    <ViewportPortal>
      {bands.map((band) => (
        <BandBox key={band.id} band={band} />
      ))}
    </ViewportPortal>
  );
}

/**
 * A band that is only moved is not drawn anew: its corner moves, and what is in it stays as it is. It moves by a transform, of
 * which nothing in it has to be laid out or placed again; the only band of a small funnel needs none.
 */
const BandBox = memo(function BandBox({ band: { at, nodes, routes } }: { band: Band }) {
  return (
    <div className={c.band} style={at.x || at.y ? { transform: `translate(${at.x}px, ${at.y}px)` } : undefined}>
      <Wires routes={routes} />
      <Places nodes={nodes} />
    </div>
  );
});

const Places = memo(function Places({ nodes }: { nodes: FlowNode[] }) {
  return nodes.map((node) => <Place key={node.id} node={node} />);
});

/**
 * The links of a band in one drawing: it is moved and painted as one. What the pointer is near is reckoned from the routes:
 * the browser need not search six hundred broad lines for each of its moves.
 */
const Wires = memo(function Wires({ routes }: { routes: Route[] }) {
  return (
    <svg className={c.wires} aria-hidden="true">
      {routes.map((route) => (
        <Wire key={`${route.from}/${route.port}`} route={route} />
      ))}
    </svg>
  );
});

/** A card that is only moved is not drawn anew, either. */
const Place = memo(function Place({ node }: { node: FlowNode }) {
  const { x, y } = node.position;
  return (
    <div className={c.place} data-place={node.id} style={{ left: x, top: y, width: node.width, height: node.height }}>
      {node.type === "step" ? <StepCard step={node.data} /> : <GotoChip route={node.data} />}
      {node.type === "step" && <Slots ways={node.ways} />}
    </div>
  );
});
