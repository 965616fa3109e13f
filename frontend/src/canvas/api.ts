import { currentWorkspace, type Schemas } from "@/api/client";
import { offline, toProblem } from "@/api/problem";
import type {
  AiDraft,
  AiSelected,
  Approval,
  Change,
  Counts,
  Finding,
  Funnel,
  KeptDraft,
  Loaded,
  Person,
  Placement,
  Present,
  Preview,
  PublishPreview,
  PublishWish,
  Saved,
  Simulation,
  Split,
  TestCase,
  Tests,
  Version,
} from "./answers";
import type { CatalogueData, FunnelDocument } from "./types";

/** One request to the API as the signed-in person; refusals are thrown as ApiProblem, a dead line with status 0. */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {};
  const workspace = currentWorkspace();
  if (workspace) headers["Lejek-Workspace"] = workspace;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}`, {
      method,
      headers,
      credentials: "same-origin",
      ...(body !== undefined ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw offline();
  }
  const json: unknown = answer.status === 204 ? undefined : await answer.json().catch(() => undefined);
  if (!answer.ok) throw toProblem(answer.status, json);
  return json as T;
}

const draft = (doc: FunnelDocument) => ({
  name: doc.name,
  graph: doc.graph,
  creatives: doc.creatives,
  layout: doc.layout,
});

const content = (doc: FunnelDocument) => ({ graph: doc.graph, creatives: doc.creatives });

/** What the editor asks of the server, by funnel. */
export const api = {
  catalogue: () => call<CatalogueData>("GET", "/catalogue"),
  load: (id: string) => call<Loaded>("GET", `/funnels/${id}`),
  save: (id: string, revision: number, doc: FunnelDocument) =>
    call<Saved>("PUT", `/funnels/${id}/draft`, { revision, ...draft(doc) }),
  bePresent: (id: string, input: { page: string; node?: string }) =>
    call<{ people: Present[]; revision: number }>("POST", `/funnels/${id}/presence`, input),
  /** Asked while the page goes away, so the browser must finish it alone. */
  leave: (id: string, page: string) =>
    fetch(`/api/v1/funnels/${id}/presence`, {
      method: "POST",
      keepalive: true,
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "Lejek-Workspace": currentWorkspace() ?? "" },
      body: JSON.stringify({ page, leave: true }),
    }).catch(() => undefined),
  /** What separates two documents, in the engine's own reading. */
  compare: (from: FunnelDocument, to: FunnelDocument) =>
    call<{ changes: Change[] }>("POST", "/compare", { from: content(from), to: content(to) }),
  keepDraft: (id: string, doc: FunnelDocument) =>
    call("POST", `/funnels/${id}/kept-drafts`, { ...content(doc), layout: doc.layout }),
  create: (doc: FunnelDocument) => call<Loaded>("POST", "/funnels", draft(doc)),
  keepTemplate: (of: { name: string; does: string } & Pick<FunnelDocument, "graph" | "creatives">) =>
    call<{ slug: string }>("POST", "/templates", of),
  publishPreview: (id: string, wish: { version?: number; plan?: Placement[] } = {}) =>
    call<PublishPreview>("POST", `/funnels/${id}/publish-preview`, wish),
  publish: (id: string, wish: PublishWish) => call<Funnel>("POST", `/funnels/${id}/publish`, wish),
  /** Exactly the draft that was approved. */
  publishApproved: (id: string, wish: PublishWish) => call<Funnel>("POST", `/funnels/${id}/approval/publish`, wish),
  approval: (id: string) => call<{ approval?: Approval }>("GET", `/funnels/${id}/approval`),
  askApproval: (id: string, revision: number, note: string) =>
    call<{ approval?: Approval }>("POST", `/funnels/${id}/approval`, { revision, note }),
  decide: (id: string, revision: number, approve: boolean, answer: string) =>
    call<{ approval?: Approval }>("POST", `/funnels/${id}/approval/decide`, { revision, approve, answer }),
  withdraw: (id: string) => call<{ approval?: Approval }>("DELETE", `/funnels/${id}/approval`),
  keptDrafts: (id: string) => call<{ items: KeptDraft[] }>("GET", `/funnels/${id}/kept-drafts`),
  keptDraft: (id: string, draft: string) =>
    call<Pick<Loaded, "graph" | "creatives" | "layout">>("GET", `/funnels/${id}/kept-drafts/${draft}`),
  restore: (id: string, wish: { revision: number; version?: number; kept?: string }) =>
    call<Loaded>("POST", `/funnels/${id}/restore`, wish),
  versions: (id: string) => call<{ items: Version[] }>("GET", `/funnels/${id}/versions`),
  version: (id: string, number: number) =>
    call<Pick<Loaded, "graph" | "creatives" | "layout">>("GET", `/funnels/${id}/versions/${number}`),
  operate: (id: string, what: "pause" | "resume" | "stop") => call<Funnel>("POST", `/funnels/${id}/${what}`),
  counts: (id: string, period: string) => call<Counts>("GET", `/funnels/${id}/counts?period=${period}`),
  splits: (id: string, period: string) => call<{ items: Split[] }>("GET", `/funnels/${id}/splits?period=${period}`),
  behind: (id: string, period: string, of: { node: string; what: string; port?: string }, cursor?: string) =>
    call<Schemas["PasserPage"]>(
      "GET",
      `/funnels/${id}/people?${new URLSearchParams({ ...of, period, ...(cursor ? { cursor } : {}) })}`,
    ),
  simulate: (id: string, input: Record<string, unknown>) => call<Simulation>("POST", `/funnels/${id}/simulate`, input),
  tests: (id: string) => call<Tests>("GET", `/funnels/${id}/tests`),
  putTests: (id: string, tests: TestCase[]) => call<Tests>("PUT", `/funnels/${id}/tests`, { tests }),
  /** Against the draft as the server has it; the report is kept. */
  runTests: (id: string) => call<Tests>("POST", `/funnels/${id}/tests/run`, {}),
  rehearse: (id: string, input: Record<string, unknown>) =>
    call<{ id: string }>("POST", `/funnels/${id}/rehearse`, input),
  preview: (input: Record<string, unknown>, signal?: AbortSignal) =>
    call<Preview>("POST", "/creatives/preview", input, signal),
  sendTest: (input: Record<string, unknown>) => call<{ message_id: string }>("POST", "/creatives/send-test", input),
  findings: (id: string) => call<{ items: Finding[] }>("GET", `/funnels/${id}/findings`),
  /** Lets everybody who is stuck at a step try it again; answers how many. */
  retryParked: async (id: string, node: string) => {
    const path = `/runs?funnel=${id}&node=${encodeURIComponent(node)}&state=parked&limit=200`;
    const { items } = await call<{ items: { id: string }[] }>("GET", path);
    for (const run of items) await call("POST", `/runs/${run.id}/retry`);
    return items.length;
  },
  createNamed: (of: "tag" | "list", slug: string) => call("POST", `/${of}s`, { slug, name: slug }),
  funnels: (q: string) => call<{ items: Funnel[] }>("GET", `/funnels?limit=6&q=${encodeURIComponent(q)}`),
  people: (q: string) => call<{ items: Person[] }>("GET", `/contacts?limit=20&q=${encodeURIComponent(q)}`),
  ask: (prompt: string, language: string, funnel_id: string, doc: FunnelDocument, anew = false) =>
    call<AiDraft["task"]>("POST", "/ai/drafts", {
      prompt,
      language,
      funnel_id,
      graph: doc.graph,
      creatives: doc.creatives,
      anew,
    }),
  selectGroups: (id: string, groups: number[]) => call<AiSelected>("POST", `/ai/drafts/${id}/select`, { groups }),
  prompts: (funnel: string) =>
    call<{ items: { id: string; prompt: string }[] }>("GET", `/ai/drafts?funnel_id=${funnel}`),
  answer: (id: string) => call<AiDraft>("GET", `/ai/drafts/${id}`),
};

/** The kinds of steps and the comparisons of rules; they change with the server only. */
export const catalogueQuery = { queryKey: ["catalogue"], queryFn: api.catalogue, staleTime: 60 * 60_000 };
