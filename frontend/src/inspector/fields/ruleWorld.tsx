import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { Catalogue } from "@/canvas/catalogue";
import { titleOf } from "@/canvas/kinds";
import { triggersOf } from "@/canvas/sizes";
import { useEditor } from "@/canvas/store";

/** What the sentences of a rule are made of besides the people themselves. */
export interface RuleWorld {
  catalogue: Catalogue;
  /** Inside a funnel: its messages, and the events that start it. Elsewhere a rule knows people only. */
  funnel?: { messages: { value: string; label: string }[]; startedBy: string[] };
}

export const RuleWorldContext = createContext<RuleWorld | null>(null);

export function useRuleWorld(): RuleWorld {
  const world = useContext(RuleWorldContext);
  if (!world) throw new Error("no world around this rule");
  return world;
}

/** The world of rules in the funnel that is being edited. */
export function FunnelRuleWorld({ children }: { children: ReactNode }) {
  const doc = useEditor((s) => s.shown);
  const catalogue = useEditor((s) => s.catalogue);
  const world = useMemo<RuleWorld>(() => {
    const { nodes } = doc.graph;
    const entry = nodes.find((n) => n.kind === "entry");
    return {
      catalogue,
      funnel: {
        messages: nodes
          .filter((n) => catalogue.kind(n.kind).family === "message")
          .map((n) => ({ value: n.id, label: titleOf(n, catalogue, doc) })),
        startedBy: (entry ? triggersOf(entry) : []).map((trigger) => String(trigger.name ?? "")),
      },
    };
  }, [doc, catalogue]);
  return <RuleWorldContext value={world}>{children}</RuleWorldContext>;
}
