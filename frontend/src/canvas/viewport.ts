import type { Box, Direction } from "./layout";

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

const key = (funnel: string) => `lejek.viewport.${funnel}`;

/** The viewport this person left the funnel with, on this device. */
export function keptViewport(funnel: string): Viewport | undefined {
  try {
    const v = JSON.parse(localStorage.getItem(key(funnel)) ?? "null") as Viewport | null;
    return v && [v.x, v.y, v.zoom].every(Number.isFinite) ? v : undefined;
  } catch {
    return undefined;
  }
}

export function keepViewport(funnel: string, viewport: Viewport): void {
  try {
    localStorage.setItem(key(funnel), JSON.stringify(viewport));
  } catch {
    // Then the next visit starts at the top again.
  }
}

const selectionKey = (funnel: string) => `lejek.selection.${funnel}`;

export const mapKey = "lejek.map";

/** The steps this person had chosen when they left the funnel, on this device. */
export function keptSelection(funnel: string): string[] {
  try {
    const ids = JSON.parse(localStorage.getItem(selectionKey(funnel)) ?? "[]") as unknown;
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function keepSelection(funnel: string, ids: readonly string[]): void {
  try {
    if (ids.length > 0) localStorage.setItem(selectionKey(funnel), JSON.stringify(ids));
    else localStorage.removeItem(selectionKey(funnel));
  } catch {
    // Then the next visit starts with nothing chosen.
  }
}

/** The first look at a funnel: the start at the top, the whole width where that stays readable. */
export function firstViewport(
  bounds: Box,
  canvas: { width: number; height: number },
  direction: Direction = "down",
): Viewport {
  if (direction === "right") {
    const zoom = Math.min(1, Math.max(0.6, (canvas.height - 180) / bounds.height));
    const fits = bounds.height * zoom <= canvas.height - 180;
    const y = fits ? (canvas.height - 60 - bounds.height * zoom) / 2 - bounds.y * zoom : 40 - bounds.y * zoom;
    return { x: 120 - bounds.x * zoom, y, zoom };
  }
  const room = canvas.width - 120;
  const zoom = Math.min(1, Math.max(0.6, room / bounds.width));
  const fits = bounds.width * zoom <= room;
  const centre = fits ? bounds.x + bounds.width / 2 : 0;
  return { x: canvas.width / 2 - centre * zoom, y: 40 - bounds.y * zoom, zoom };
}
