// What the server answers about funnels, as the editor reads it.

import type { Schemas } from "@/api/client";
import type { PushFrame, TextParts } from "@/mail/frames";
import type { Creative, Graph, Layout, Problem } from "./types";

export type FunnelState = "draft" | "live" | "paused" | "stopped" | "archived";

export interface Funnel {
  id: string;
  slug: string;
  name: string;
  state: FunnelState;
  version: number;
  changed: boolean;
  counts: { active: number; done: number; exited: number; parked: number };
  updated_at: string;
  published_at?: string;
}

/** Another open page of this funnel. */
export interface Present {
  page: string;
  user_id: string;
  name: string;
  /** The step being edited, "" for none. */
  node: string;
  /** It is a page of mine. */
  me: boolean;
}

export interface Loaded {
  funnel: Funnel;
  revision: number;
  graph: Graph;
  creatives: Record<string, Creative>;
  layout?: Layout;
  problems: Problem[];
}

export interface Saved {
  revision: number;
  saved_at: string;
  problems: Problem[];
}

export interface Change {
  code:
    | "step_added"
    | "step_removed"
    | "step_moved"
    | "step_replaced"
    | "step_renamed"
    | "step_off"
    | "step_on"
    | "field"
    | "text"
    | "trigger_added"
    | "trigger_removed"
    | "path_ends";
  node: string;
  /** Of the step. */
  kind: string;
  name: string;
  field?: string;
  /** Of the field, in English. */
  label?: string;
  from?: unknown;
  to?: unknown;
}

export type MoveDo = "keep" | "move" | "end";

export interface Placement {
  version: number;
  node: string;
  do: MoveDo;
  to?: string;
}

export interface Forecast {
  what: "message" | "goal" | "end" | "stay" | "unknown";
  node?: string;
  name?: string;
  at?: string;
}

/** People at one step of an older version. */
export interface Inside {
  version: number;
  node: string;
  name: string;
  kind: string;
  people: number;
  parked?: number;
  do: MoveDo;
  to?: string;
  stays?: "same" | "recomputed" | "again" | "held";
  next: Forecast[];
}

export interface Approval {
  id: string;
  state: "open" | "approved" | "declined" | "withdrawn" | "published";
  revision: number;
  note: string;
  asked_by?: string;
  asked_at: string;
  /** I asked. */
  mine: boolean;
  /** The draft has changed since. */
  lapsed: boolean;
  answer?: string;
  decided_by?: string;
  decided_at?: string;
}

/** What the last weeks let expect. */
export interface Expected {
  days: number;
  events: number;
  starts_per_day: number;
  channels: { channel: string; people: number; may: number }[];
  quiet: boolean;
}

export interface KeptDraft {
  id: string;
  kept_at: string;
  kept_by?: string;
  steps: number;
}

export interface PublishPreview {
  expected?: Expected;
  revision: number;
  version: number;
  problems: Problem[];
  changes: Change[];
  people_inside: number;
  inside: Inside[];
  matching_now?: number;
}

export interface Finding {
  code: string;
  node: string;
  severity: "error" | "warning";
  since: string;
  said: { code: string; text: { en: string; pl: string; ru: string } };
  fix?: { kind: "create" | "retry" | "open_settings"; ref?: string };
}

export interface PublishWish {
  revision: number;
  name?: string;
  note?: string;
  accept_warnings: boolean;
  start_matching: boolean;
  version?: number;
  plan?: Placement[];
}

export interface Version {
  number: number;
  published_at: string;
  published_by?: string;
  name?: string;
  note?: string;
  current: boolean;
  runs_active: number;
}

export interface MessageCount {
  sent: number;
  delivered: number;
  opened: number;
  clicked: number;
  skipped: number;
  failed: number;
}

export interface Counts {
  /** messages only at steps that send: passed counts visits, not who got something. */
  nodes: Record<
    string,
    { here: number; passed: number; came: number; lost: number; loss?: boolean; messages?: MessageCount }
  >;
  edges: { from: string; port: string; passed: number }[];
}

export type Split = Schemas["SplitResult"];

export interface Visit {
  seq: number;
  node: string;
  kind: string;
  at: string;
  port?: string;
  detail?: Record<string, unknown>;
}

export interface SimMessage {
  node: string;
  at: string;
  /** What held it back until then. */
  held?: string;
  channel?: string;
  creative: string;
  subject?: string;
  skipped?: string;
  missing?: string;
}

export interface Simulation {
  visits: Visit[];
  messages: SimMessage[];
  status: string;
  /** The kind of trigger that fired; none when the event does not start the funnel. */
  trigger?: string;
  /** Why the person is not let in at all. */
  refused?: string;
  reason?: string;
  ended_at?: string;
  /** What nobody can know beforehand, and how it was supposed to come out. */
  assumed?: Assumed[];
  /** What this simulation would be as a test; its name is still to be given. */
  test?: TestCase;
}

/** What the person does with a message, or by which way a step is left. */
export interface Assumption {
  opens?: boolean;
  clicks?: boolean;
  replies?: boolean;
  bounces?: boolean;
  port?: string;
}

export type Does = "nothing" | "opens" | "clicks" | "replies" | "bounces";

export interface Assumed {
  node: string;
  kind: string;
  port?: string;
  ports?: string[];
  does?: Does;
  said: boolean;
}

/** The server's own form is kept whole: the interface reads the name only. */
export interface TestCase {
  name: string;
  [member: string]: unknown;
}

export interface TestDifference {
  what: string;
  step?: string;
  want: string;
  got: string;
}

export interface TestResult {
  name: string;
  passed: boolean;
  differences?: TestDifference[];
}

export interface Tests {
  tests: TestCase[];
  results?: TestResult[];
  tested_at?: string;
}

/** What a draft would have done in a past period. */
export interface Rehearsal {
  zone: string;
  people: number;
  entries: number;
  entered: number;
  refused?: Record<string, number>;
  sent: number;
  days: { date: string; entries: number; sent: Record<string, number> }[] | null;
  peak?: { at: string; sent: number } | null;
  over_cap: number;
  held?: Record<string, number>;
  skipped?: Record<string, number>;
  steps: { node: string; ports: Record<string, number> }[] | null;
  assumed: string[] | null;
  done: boolean;
  looked_at: number;
}

export interface Preview {
  subject: string;
  preheader: string;
  html: string;
  text: string;
  sms?: TextParts;
  push?: PushFrame;
  /** The page of a letter, base64. */
  pdf?: string;
  problems: Problem[];
}

export interface AiGroup {
  id: number;
  steps: string[];
  summary: string[];
}

export interface AiDraft {
  task: { id: string; state: "queued" | "running" | "done" | "failed" | "cancelled"; label?: string; error?: string };
  outcome?: "graph" | "clarify" | "refuse" | "unchanged";
  engine?: string;
  graph?: Graph;
  creatives?: Record<string, Creative>;
  explanation?: string;
  assumptions?: string[];
  questions?: string[];
  choices?: string[][];
  reason?: string;
  message?: string;
  problems?: Problem[];
  change?: { groups: AiGroup[]; summary: string[]; name?: string; undo: boolean };
  name?: string;
  expected?: { people: number; messages: number; basis: "month" | "now" | "unknown" };
}

/** What a draft tells on its way. */
export interface AiNews {
  kind: "stage" | "plan" | "steps" | "engine" | "reset" | "done";
  stage?: string;
  text?: string;
  graph?: Graph;
}

export interface AiSelected {
  graph: Graph;
  creatives: Record<string, Creative>;
  name?: string;
}

export interface Person {
  id: string;
  email?: string;
  first_name?: string;
  last_name?: string;
}
