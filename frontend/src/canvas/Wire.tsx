import type { EdgeProps } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { pathOf, type Route } from "./layout";
import { useEditor } from "./store";

/** A link as the layout routed it. Not a line of React Flow's own: down is forward, corners are 12, nothing crosses a card. */
export const Wire = memo(function Wire({ id, data }: EdgeProps) {
  const route = data as unknown as Route;
  const look = useWireLook(route);
  return (
    <path
      id={id}
      className={`${c.wire} ${look}`}
      d={pathOf(route.points)}
      data-testid={`edge-${route.from}-${route.port}`}
    />
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
