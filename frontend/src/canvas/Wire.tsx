import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { pathOf, type Route } from "./layout";
import { suggestedAt } from "./look";
import { openMenu } from "./menus";
import { select, set, useEditor, useEditorStore } from "./store";

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
  const store = useEditorStore();
  const { from, port } = route;
  const d = pathOf(route.points);
  const choose = () => {
    select(store, []);
    set(store, { edge: { from, port } });
  };
  return (
    <>
      <path className={`${c.wire} ${look}`} d={d} data-testid={`edge-${from}-${port}`} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the '+' on the link is its control; the line is a larger target for it */}
      <path
        className={`nopan ${c.wireHit}`}
        d={d}
        onPointerEnter={() => hot(from, port, true)}
        onPointerLeave={() => hot(from, port, false)}
        onClick={choose}
        onContextMenu={(e) => {
          choose();
          openMenu(store, e, "edge");
        }}
      />
    </>
  );
});

/** The '+' of a link grows when the pointer is anywhere on the link. Straight on the element: nothing else changes. */
function hot(from: string, port: string, on: boolean): void {
  const plus = document.querySelector<HTMLElement>(`[data-slot="${CSS.escape(from)}/${CSS.escape(port)}"]`);
  if (plus) plus.dataset.near = String(on);
}

function useWireLook({ from, port, to }: Route): string {
  return useEditor((s) => {
    if (s.proposal && [from, to].some((step) => step && suggestedAt(s, step) === "added")) return c.wireGhost ?? "";
    if (s.edge?.from === from && s.edge.port === port) return c.wireChosen ?? "";
    if (!s.simulation) return "";
    return (s.simulation.lit.has(`${from}/${port}`) ? c.wireLit : c.wireUnlit) ?? "";
  });
}
