import type { Box } from "./layout";

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

/** The first look at a funnel: the start at the top, the whole width where that stays readable. */
export function firstViewport(bounds: Box, canvas: { width: number; height: number }): Viewport {
  const room = canvas.width - 120;
  const zoom = Math.min(1, Math.max(0.6, room / bounds.width));
  const fits = bounds.width * zoom <= room;
  const centre = fits ? bounds.x + bounds.width / 2 : 0;
  return { x: canvas.width / 2 - centre * zoom, y: 40 - bounds.y * zoom, zoom };
}
