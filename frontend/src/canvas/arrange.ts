import { t } from "@lingui/core/macro";
import { snapped } from "./freeLayout";
import type { Direction, Picture } from "./layout";
import { apply, type EditorStore, pictureOf, say } from "./store";
import type { FunnelDocument } from "./types";

/** How the picture is arranged: edits of the layout, which means nothing to people in the funnel. */

/** Draws the funnel downward or to the right; places given by hand are given anew in the new direction. */
export function setDirection(store: EditorStore, direction: Direction): void {
  const label = direction === "right" ? t`draw to the right` : t`draw downward`;
  apply(store, label, (doc) => {
    if (direction === "right") doc.layout.direction = "right";
    else delete doc.layout.direction;
    if (doc.layout.free)
      doc.layout.positions = placesOf(pictureOf({ ...store.getState(), placing: undefined, doc: alone(doc) }));
  });
  say(store, direction === "right" ? t`Drawn from left to right` : t`Drawn from top to bottom`);
  requestAnimationFrame(() => store.getState().camera?.start());
}

/** From here on the cards stay where they are put, or arrange themselves again. */
export function setFree(store: EditorStore, free: boolean): void {
  apply(store, free ? t`arrange freely` : t`let the picture arrange itself`, (doc) => {
    if (free) doc.layout.positions = placesOf(store.getState().picture);
    else delete doc.layout.positions;
    if (free) doc.layout.free = true;
    else delete doc.layout.free;
  });
  say(store, free ? t`The cards stay where you put them` : t`The picture arranges itself`);
}

/** Puts every card where the picture would put it by itself; the cards stay free. */
export function arrange(store: EditorStore): void {
  apply(store, t`tidy up`, (doc) => {
    doc.layout.positions = placesOf(pictureOf({ ...store.getState(), placing: undefined, doc: alone(doc) }));
  });
  say(store, t`Tidied up`);
}

/** Puts cards by a distance elsewhere, on the grid. */
export function place(store: EditorStore, ids: readonly string[], dx: number, dy: number, label: string): void {
  const { picture } = store.getState();
  apply(store, label, (doc) => {
    const places = doc.layout.positions ?? {};
    for (const id of ids) {
      const box = picture.steps.get(id);
      if (box) places[id] = [snapped(box.x + dx), snapped(box.y + dy)];
    }
    doc.layout.positions = places;
  });
}

/** The document without places, to ask where the cards would stand by themselves. */
function alone(doc: FunnelDocument): FunnelDocument {
  const { positions: _, free: __, ...layout } = JSON.parse(JSON.stringify(doc.layout)) as FunnelDocument["layout"];
  return { ...doc, layout };
}

function placesOf(picture: Picture): Record<string, [number, number]> {
  return Object.fromEntries([...picture.steps].map(([id, b]) => [id, [snapped(b.x), snapped(b.y)]]));
}
