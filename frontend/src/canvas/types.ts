/** The funnel as the editor and the API exchange it. These mirror engine/{graph,bundle,kind,field,port,problem}.go. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type Config = Record<string, unknown>;

export interface Step {
  id: string;
  kind: string;
  name: string;
  config: Config;
  off?: boolean;
}

/** A link from a port of one step to the next. A port holds at most one. */
export interface Link {
  from: string;
  port: string;
  to: string;
}

export interface Graph {
  schema: 1;
  nodes: Step[];
  edges: Link[];
}

export interface Block {
  id: string;
  type: "heading" | "text" | "button" | "image" | "divider" | "spacer" | "footer";
  text?: string;
  level?: number;
  doc?: unknown;
  url?: string;
  alt?: string;
  href?: string;
  height?: number;
  align?: "left" | "center" | "right";
}

export type Channel = "email" | "sms" | "whatsapp" | "push" | "letter";

/** The channel decides which members count; blocks are there always, empty where a channel has none. */
export interface Creative {
  channel: Channel;
  name?: string;
  subject?: string;
  preheader?: string;
  reply_to?: string;
  title?: string;
  text?: string;
  url?: string;
  icon?: string;
  template?: string;
  blocks: Block[];
}

/** A yellow card beside the steps. People never get it; it says something to those who build. */
export interface Note {
  id: string;
  text: string;
  /** From the top left corner of `step`, or on the ground itself where it stands alone. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** The step it goes with when the picture moves. */
  step?: string;
  /** The steps it frames; then the frame follows them and x, y, width and height are not used. */
  around?: string[];
  by?: string;
  /** When it was written, ISO 8601. */
  at?: string;
}

/** Presentation only: the server reads no meaning in it. */
export interface Layout {
  /** From left to right; from top to bottom where it is absent. */
  direction?: "right";
  /** The places below hold; else the picture arranges itself. */
  free?: boolean;
  positions?: Record<string, [number, number]>;
  notes?: Note[];
}

/** What undo, autosave and the suggestions of the assistant work on. */
export interface FunnelDocument {
  name: string;
  graph: Graph;
  creatives: Record<string, Creative>;
  layout: Layout;
}

export type FieldType =
  | "text"
  | "merge"
  | "number"
  | "bool"
  | "select"
  | "multi"
  | "duration"
  | "offset"
  | "time"
  | "datetime"
  | "ref"
  | "event"
  | "rule"
  | "triggers"
  | "arms"
  | "reentry"
  | "event_name"
  | "recurrence"
  | "zone"
  | "audience"
  | "lines"
  | "pairs"
  | "comparison"
  | "message"
  | "variables"
  | "attributes";

export interface ShowIf {
  key: string;
  in: string[];
}

export interface FieldSpec {
  key: string;
  type: FieldType;
  label: string;
  help?: string;
  required?: boolean;
  of?: string;
  options?: { value: string; label: string }[];
  min?: number;
  max?: number;
  default?: unknown;
  show_if?: ShowIf[];
}

export interface PortSpec {
  id?: string;
  label?: string;
  each?: string;
  show_if?: ShowIf[];
}

export type Family = "trigger" | "message" | "wait" | "logic" | "action" | "goal";

export interface Kind {
  kind: string;
  family: Family;
  order: number;
  title: string;
  purpose: string;
  synonyms?: string[];
  fields: FieldSpec[];
  ports: PortSpec[];
  no_in?: boolean;
  single?: boolean;
  /** Variables a step sets; `each` names a list of its config whose elements are variables by their name. */
  vars?: { name?: string; each?: string }[];
}

export interface Operator {
  op: string;
  label: string;
  types: string[];
  value: string;
}

export interface CatalogueData {
  nodes: Kind[];
  triggers: Kind[];
  operators: Operator[];
  functions: { name: string; signature: string; help: string }[];
}

export interface Problem {
  code: string;
  severity: "error" | "warning";
  node?: string;
  port?: string;
  field?: string;
  message: string;
  params?: Record<string, string>;
  fix?: { label: string; field: string; value?: unknown };
}

export interface Duration {
  amount: number;
  unit: "minutes" | "hours" | "days" | "weeks";
}

export interface Arm {
  id: string;
  label: string;
  weight: number;
  /** The people of this way get nothing; reports compare the others with them. */
  hold_out?: boolean;
}

/** Three days before a date. */
export interface Offset extends Duration {
  direction: "before" | "after";
}

export type Rule =
  | { all: Rule[] }
  | { any: Rule[] }
  | { not: Rule }
  | { field: string; op: string; value?: unknown }
  | { event: EventRule }
  | { tag: string }
  | { list: string }
  | { segment: string }
  | { consent: { channel: string; topic?: string; state: string } }
  | { message: { step: string; did: string } };

export interface EventRule {
  name: string;
  agg?: string;
  property?: string;
  op?: string;
  value?: number | string;
  within?: Duration;
  where?: Rule;
}

export interface Trigger {
  kind: string;
  [key: string]: unknown;
}
