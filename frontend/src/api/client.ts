import createClient from "openapi-fetch";
import { remember, remembered } from "@/ui/remember";
import { offline, toProblem } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

let workspaceId = remembered("workspace");

/** The workspace every call is about; a device comes back to the one it was in. */
export const currentWorkspace = () => workspaceId;

export function enterWorkspace(id: string | null): void {
  workspaceId = id;
  remember("workspace", id);
}

export const api = createClient<paths>({ baseUrl: "/api/v1" });

api.use({
  onRequest({ request }) {
    if (workspaceId) request.headers.set("Lejek-Workspace", workspaceId);
    return request;
  },
});

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The body of a good answer; everything else is thrown as an ApiProblem. */
export async function ask<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw offline();
  }
  if (!answer.response.ok) throw toProblem(answer.response.status, answer.error);
  return answer.data as Data;
}
