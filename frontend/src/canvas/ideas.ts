import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { firstIdeas } from "@/ui/firstIdeas";
import type { Catalogue } from "./catalogue";
import type { FunnelDocument } from "./types";

/** What makes a funnel shorter by one message. */
export const shorter = msg`Remove the last message`;

/** What one can ask for, of a funnel that is empty or of one that can be changed. */
export function ideasFor(doc: FunnelDocument, catalogue: Catalogue): MessageDescriptor[] {
  if (doc.graph.nodes.length <= 1) return Object.values(firstIdeas);
  const has = (what: "wait" | "message") => doc.graph.nodes.some((n) => catalogue.kind(n.kind).family === what);
  return [
    msg`Add an SMS at the end`,
    ...(has("wait") ? [msg`Make the first wait 1 day`] : []),
    ...(has("message") ? [shorter] : []),
  ];
}
