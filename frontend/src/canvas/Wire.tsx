import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { pathOf, type Route } from "./layout";
import { useEditor } from "./store";

/**
 * All links in one drawing under the cards. They are not React Flow's: the layout has routed them, and one drawing of six
 * hundred paths is moved and painted as one, where six hundred drawings are not.
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

function useWireLook(route: Route): string {
  const lit = useEditor((s) => s.simulation?.lit.has(`${route.from}/${route.port}`));
  const ghost = useEditor((s) => {
    const of = s.proposal?.suggestions;
    return of?.some((g) => g.what === "added" && (g.step === route.from || g.step === route.to));
  });
  if (ghost) return c.wireGhost ?? "";
  if (lit === undefined) return "";
  return (lit ? c.wireLit : c.wireUnlit) ?? "";
}
