import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { pathOf, type Route } from "./layout";
import { suggestedAt } from "./look";
import { useEditor } from "./store";

/**
 * All links in one drawing under the cards. They are not React Flow's: the layout has routed them, and one drawing of six
 * hundred paths is moved and painted as one, where six hundred drawings are not. What the pointer is near is reckoned from
 * the routes: the browser need not search six hundred broad lines for each of its moves.
 */
export function WireLayer() {
  const routes = useEditor((s) => s.flow.routes);
  return (
    <ViewportPortal>
      <svg className={c.wires} aria-hidden="true">
        {routes.map((route) => (
          <Wire key={`${route.from}/${route.port}`} route={route} />
        ))}
      </svg>
    </ViewportPortal>
  );
}

/** A link as the layout routed it: down is forward, corners are 12, nothing crosses a card. */
const Wire = memo(function Wire({ route }: { route: Route }) {
  const look = useWireLook(route);
  return (
    <path className={`${c.wire} ${look}`} d={pathOf(route.points)} data-testid={`edge-${route.from}-${route.port}`} />
  );
});

function useWireLook({ from, port, to }: Route): string {
  return useEditor((s) => {
    if (s.proposal && [from, to].some((step) => step && suggestedAt(s, step) === "added")) return c.wireGhost ?? "";
    if (s.edge?.from === from && s.edge.port === port) return c.wireChosen ?? "";
    if (!s.simulation) return "";
    return (s.simulation.lit.has(`${from}/${port}`) ? c.wireLit : c.wireUnlit) ?? "";
  });
}
