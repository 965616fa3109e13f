import type { Box, Picture, Route } from "./layout";
import { measures } from "./layout";

/** What a free picture snaps to. */
export const snap = 8;

export function snapped(v: number): number {
  return Math.round(v / snap) * snap;
}

/**
 * The picture with the places a person gave to the cards. A card without a place of its own stands where it would stand
 * from the card before it. Lines are drawn anew between the cards as they are.
 */
export function placeFreely(auto: Picture, places: Record<string, [number, number]>): Picture {
  const steps = new Map<string, Box>();
  for (const id of auto.structure.order) {
    const box = auto.steps.get(id);
    if (!box) continue;
    const given = places[id];
    const feeder = auto.structure.feeders.get(id)?.[0]?.from ?? "";
    const [was, is] = [auto.steps.get(feeder), steps.get(feeder)];
    const [x, y] = given ?? (was && is ? [box.x - was.x + is.x, box.y - was.y + is.y] : [box.x, box.y]);
    steps.set(id, { ...box, x, y });
  }
  const routes = auto.routes.map((r) => rerouted(r, auto, steps));
  return { ...auto, steps, routes, bounds: around([...steps.values()]) };
}

export function around(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.min(...boxes.map((b) => b.x));
  const y = Math.min(...boxes.map((b) => b.y));
  const right = Math.max(...boxes.map((b) => b.x + b.width));
  const bottom = Math.max(...boxes.map((b) => b.y + b.height));
  return { x, y, width: right - x, height: bottom - y };
}

function rerouted(route: Route, auto: Picture, steps: ReadonlyMap<string, Box>): Route {
  const turned = auto.direction === "right";
  const flip = (b: Box): Box => (turned ? { x: b.y, y: b.x, width: b.height, height: b.width } : b);
  const from = steps.get(route.from);
  const was = auto.steps.get(route.from);
  if (!from || !was) return route;
  const to = route.kind === "link" && route.to ? steps.get(route.to) : undefined;
  const moved: [number, number] = [from.x - was.x, from.y - was.y];
  if (!to) return shifted(route, moved);
  const line = between(flip(from), flip(to), route.labelAt !== undefined, measures[auto.direction]);
  const point = ([x, y]: [number, number]): [number, number] => (turned ? [y, x] : [x, y]);
  return {
    ...route,
    points: line.points.map(point),
    plus: point(line.plus),
    ...(line.label ? { labelAt: point(line.label) } : {}),
  };
}

function shifted(route: Route, [dx, dy]: [number, number]): Route {
  const by = ([x, y]: [number, number]): [number, number] => [x + dx, y + dy];
  const label = route.labelAt ? { labelAt: by(route.labelAt) } : {};
  return { ...route, points: route.points.map(by), plus: by(route.plus), ...label };
}

interface Line {
  points: [number, number][];
  plus: [number, number];
  label?: [number, number];
}

/** From the foot of one card to the head of another, along the grid; around where the other stands above. */
function between(
  from: Box,
  to: Box,
  several: boolean,
  m: { turn: number; branchPlus: number; branchGap: number },
): Line {
  const [x0, y0] = [from.x + from.width / 2, from.y + from.height];
  const [x1, y1] = [to.x + to.width / 2, to.y];
  const turn = y0 + m.turn;
  const long = m.branchGap > 100;
  if (y1 >= turn + 20) {
    const straight = Math.abs(x0 - x1) < 1;
    const points: [number, number][] = straight
      ? [
          [x0, y0],
          [x1, y1],
        ]
      : [
          [x0, y0],
          [x0, turn],
          [x1, turn],
          [x1, y1],
        ];
    const plusY = several ? Math.min(y0 + m.branchPlus, y1 - 14) : (Math.max(y0, straight ? y0 : turn) + y1) / 2;
    const label: [number, number] = long ? [x1, (turn + plusY - 14) / 2] : [(x0 + x1) / 2, turn];
    return { points, plus: [x1, plusY], ...(several ? { label } : {}) };
  }
  const side = x1 >= x0 ? Math.max(from.x + from.width, to.x + to.width) + 24 : Math.min(from.x, to.x) - 24;
  const level = y1 - 20;
  return {
    points: [
      [x0, y0],
      [x0, turn],
      [side, turn],
      [side, level],
      [x1, level],
      [x1, y1],
    ],
    plus: [side, (turn + level) / 2],
    ...(several ? { label: [(x0 + side) / 2, turn] as [number, number] } : {}),
  };
}
