import { memo } from "react";
import c from "./canvas.module.css";
import { pathOf, type Route } from "./layout";
import { suggestedAt } from "./look";
import { useEditor } from "./store";

/** A link as the layout routed it: down is forward, corners are 12, nothing crosses a card. */
export const Wire = memo(function Wire({ route }: { route: Route }) {
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
