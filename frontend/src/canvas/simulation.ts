import type { Simulation, Visit } from "./answers";
import type { Graph } from "./types";

/** One person's way, ready to be drawn: what is lit, in which order, and the days of the timeline. */
export interface SimulationView {
  person: string;
  /** The contact they are, where it is one. */
  contact?: string;
  result: Simulation;
  /** Order number of the first visit, by step. */
  order: ReadonlyMap<string, number>;
  /** Ways out that were taken, as "from/port". */
  lit: ReadonlySet<string>;
  days: { date: string; day: number; visits: Visit[] }[];
}

export function viewOf(person: string, result: Simulation, graph: Graph, zone?: string): SimulationView {
  const order = new Map<string, number>();
  const lit = new Set<string>();
  for (const v of result.visits) {
    if (!order.has(v.node)) order.set(v.node, order.size + 1);
    if (v.port) lit.add(`${v.node}/${v.port}`);
  }
  const entry = graph.nodes.find((n) => n.kind === "entry")?.id;
  if (entry && result.visits.length > 0) {
    if (!order.has(entry)) order.set(entry, 0);
    lit.add(`${entry}/next`);
  }
  const days: SimulationView["days"] = [];
  const start = result.visits[0] ? dayOf(result.visits[0].at, zone) : "";
  for (const v of result.visits.filter((visit, i) => !rests(visit, result.visits[i + 1]))) {
    const date = dayOf(v.at, zone);
    const last = days.at(-1);
    if (last?.date === date) last.visits.push(v);
    else days.push({ date, day: between(start, date), visits: [v] });
  }
  return { person, result, order, lit, days };
}

/** A stay is told twice, when it begins and when it ends: a reader reads it once, when it begins. */
const rests = (visit: Visit, next: Visit | undefined) => !visit.port && next?.node === visit.node;

/** The calendar day of an instant, "2026-12-01", in a zone. */
function dayOf(at: string, zone?: string): string {
  return new Intl.DateTimeFormat("en-CA", { dateStyle: "short", ...(zone ? { timeZone: zone } : {}) }).format(
    new Date(at),
  );
}

function between(a: string, b: string): number {
  return Math.round((Date.parse(b) - Date.parse(a)) / 86_400_000);
}
