// What the server answers about funnels, as the editor reads it.

import type { Schemas } from "@/api/client";
import type { Creative, Graph, Layout, Problem } from "./types";

export type FunnelState = Schemas["FunnelState"];

export type Funnel = Schemas["Funnel"];

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

export type Saved = Schemas["DraftSaved"];

export type Change = Schemas["Change"];

export type MoveDo = Schemas["MoveDo"];

export type Placement = Schemas["Placement"];

export type Forecast = Schemas["Forecast"];

/** People at one step of an older version. */
export type Inside = Schemas["Inside"];

export type Approval = Schemas["Approval"];

/** What the last weeks let expect. */
export type Expected = Schemas["Expected"];

export type KeptDraft = Schemas["KeptDraft"];

export type PublishPreview = Schemas["PublishPreview"];

export type Finding = Schemas["Finding"];

export type PublishWish = Schemas["PublishInput"];

export type Version = Schemas["Version"];

export type MessageCount = Schemas["MessageCount"];

export type Counts = Schemas["Counts"];

export type Split = Schemas["SplitResult"];

export type Visit = Schemas["Visit"];

export type SimMessage = Schemas["SimMessage"];

export type Simulation = Schemas["Simulation"];

/** What the person does with a message, or by which way a step is left. */
export type Assumption = Schemas["Assumption"];

export type Does = "nothing" | "opens" | "clicks" | "replies" | "bounces";

export type Assumed = Schemas["Assumed"];

/** The server's own form is kept whole: the interface reads the name only. */
export type TestCase = Schemas["TestCase"];

export type TestDifference = Schemas["TestDifference"];

export type TestResult = Schemas["TestResult"];

export type Tests = Schemas["Tests"];

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

export type Preview = Schemas["Preview"];

export type AiGroup = Schemas["AiGroup"];

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
