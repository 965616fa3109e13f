import { useReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import type { Slot } from "./document";
import type { Route } from "./layout";
import { openMenu } from "./menus";
import { type EditorStore, select, set } from "./store";

/** How near to a link the pointer means it, in pixels of the canvas. */
export const reach = 9;

/** The link a point of the ground is on or near to. Its lines run along or across, so a box around each is enough. */
export function routeNear(routes: readonly Route[], x: number, y: number): Route | undefined {
  return routes.find(({ points }) =>
    points.some(([x1, y1], i) => {
      const [x2, y2] = points[i + 1] ?? [x1, y1];
      return (
        x >= Math.min(x1, x2) - reach &&
        x <= Math.max(x1, x2) + reach &&
        y >= Math.min(y1, y2) - reach &&
        y <= Math.max(y1, y2) + reach
      );
    }),
  );
}

/** What the pointer does on the ground where a link is: the '+' of the link grows, a click chooses it, a menu is about it. */
export function useLinks(store: EditorStore) {
  const flow = useReactFlow();
  return useMemo(() => {
    let hot: Slot | undefined;
    const at = (e: React.MouseEvent) => {
      const { x, y } = flow.screenToFlowPosition({ x: e.clientX, y: e.clientY });
      return routeNear(store.getState().picture.routes, x, y);
    };
    const heat = (pane: Element | null, next: Slot | undefined) => {
      if (hot?.from === next?.from && hot?.port === next?.port) return;
      near(hot, false);
      near(next, true);
      hot = next;
      if (pane instanceof HTMLElement) pane.style.cursor = next ? "pointer" : "";
    };
    const choose = ({ from, port }: Slot) => {
      select(store, []);
      set(store, { edge: { from, port } });
    };
    return {
      move: (e: React.MouseEvent) => {
        const onGround = e.target === e.currentTarget && e.buttons === 0;
        heat(e.currentTarget, onGround ? at(e) : undefined);
      },
      leave: (e: React.MouseEvent) => heat(e.currentTarget, undefined),
      /** Whether a click was one on a link. */
      click: (e: React.MouseEvent): boolean => {
        const route = at(e);
        if (route) choose(route);
        return route !== undefined;
      },
      menu: (e: React.MouseEvent) => {
        const route = at(e);
        if (route) choose(route);
        openMenu(store, e, route ? "edge" : "ground");
      },
    };
  }, [flow, store]);
}

/** The '+' of a link grows when the pointer is anywhere on the link. Straight on the element: nothing else changes. */
function near(slot: Slot | undefined, on: boolean): void {
  if (!slot) return;
  const place = `${CSS.escape(slot.from)}/${CSS.escape(slot.port)}`;
  const plus = document.querySelector<HTMLElement>(`[data-slot="${place}"]`);
  if (plus) plus.dataset.near = String(on);
}
