import { t } from "@lingui/core/macro";
import { moveTogether } from "./edits";
import { lookOf } from "./look";
import { placesFor, regionOf } from "./region";
import { type EditorStore, say, set } from "./store";
import { portLabel } from "./words/ports";

/** Moving without dragging: the legal places light up, arrows go through them, Enter or a click drops, Esc leaves all as it is. */
export function startMoving(store: EditorStore): void {
  const s = store.getState();
  const steps = regionOf(s.doc, s.catalogue, s.selection);
  const slots = inReadingOrder(store, placesFor(s.doc, s.catalogue, steps));
  if (slots.length === 0) {
    say(store, t`These steps cannot be moved: other steps are reached only through them.`);
    return;
  }
  set(store, { moving: { steps, slots, at: 0 } });
  showPlace(store);
}

function inReadingOrder<T extends { from: string }>(store: EditorStore, slots: T[]): T[] {
  const rank = new Map(store.getState().picture.structure.order.map((id, i) => [id, i]));
  return [...slots].sort((a, b) => (rank.get(a.from) ?? 0) - (rank.get(b.from) ?? 0));
}

/** The place before or after the one that is shown. */
export function nextPlace(store: EditorStore, by: 1 | -1): void {
  const { moving } = store.getState();
  if (!moving) return;
  set(store, { moving: { ...moving, at: (moving.at + by + moving.slots.length) % moving.slots.length } });
  showPlace(store);
}

function showPlace(store: EditorStore): void {
  const s = store.getState();
  const slot = s.moving?.slots[s.moving.at];
  const route = slot && s.picture.routes.find((r) => r.from === slot.from && r.port === slot.port);
  if (!slot || !route) return;
  s.camera?.centre(slot.from, "if-hidden");
  const after = lookOf(s).title(slot.from);
  const way = route.label ? portLabel(slot.port, route.label) : "";
  say(store, way ? t`Place: after “${after}”, ${way}` : t`Place: after “${after}”`);
}

export function dropThere(store: EditorStore, at?: { from: string; port: string }): void {
  const { moving } = store.getState();
  const slot = at ?? moving?.slots[moving.at];
  set(store, { moving: undefined });
  if (moving && slot) moveTogether(store, moving.steps, slot);
}

export function stopMoving(store: EditorStore): void {
  if (!store.getState().moving) return;
  set(store, { moving: undefined });
  say(store, t`Nothing was moved`);
}
