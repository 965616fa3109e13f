import { t } from "@lingui/core/macro";
import { viewOfKind } from "./kinds";
import type { Picture } from "./layout";
import type { EditorState } from "./store";
import type { Graph, Step } from "./types";
import { days } from "./walk";

let last: { picture: Picture; graph: Graph; at: Map<string, number> } | undefined;

/** "day 3": the earliest day a message can leave, counted from the start; nothing for steps that do no harm by time. */
export function dayLabel(s: EditorState, step: Step): string {
  const family = s.catalogue.kind(step.kind).family;
  if (family !== "message") return "";
  if (last?.picture !== s.picture || last.graph !== s.shown.graph) {
    const byId = new Map(s.shown.graph.nodes.map((n) => [n.id, n]));
    const wait = (id: string) => {
      const at = byId.get(id);
      return at && !at.off ? (viewOfKind(s.catalogue, at.kind).days?.(at) ?? 0) : 0;
    };
    last = { picture: s.picture, graph: s.shown.graph, at: days(s.picture.structure, wait) };
  }
  return t`day ${Math.floor(last.at.get(step.id) ?? 0)}`;
}
