import { queryOptions, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { api, ask, currentWorkspace, enterWorkspace, type Schemas } from "./client";
import { isProblem } from "./problem";

export type Session = Schemas["Session"];
export type Role = Schemas["Role"];

async function whoAmI(): Promise<Session> {
  let session: Session;
  try {
    session = await ask(api.GET("/session"));
  } catch (error) {
    // A remembered workspace one was since taken out of must not lock a person out.
    if (!currentWorkspace() || !(isProblem(error, "forbidden") || isProblem(error, "not_found"))) throw error;
    enterWorkspace(null);
    session = await ask(api.GET("/session"));
  }
  // The server chose one for a device that remembers none; from now on every call names it.
  if (session.workspace && !currentWorkspace()) enterWorkspace(session.workspace.id);
  const first = session.workspaces[0];
  if (!session.workspace && first) {
    enterWorkspace(first.id);
    session = await ask(api.GET("/session"));
  }
  return session;
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: whoAmI,
  staleTime: 5 * 60_000,
  retry: false,
});

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: () => ask(api.GET("/setup")),
  staleTime: 0,
});

/** Who is signed in. Only below the shell, which waits for it. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** May this person do that here? Unknown while the session is on its way: no. */
export function useCan(): (permission: string) => boolean {
  const { data } = useQuery(sessionQuery);
  return (permission) => data?.permissions.includes(permission) ?? false;
}

export const workspaceQuery = queryOptions({
  queryKey: ["workspace"],
  queryFn: () => ask(api.GET("/workspace")),
});

/** The zone all times of the workspace are shown in. */
export function useZone(): string {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  return data?.workspace?.zone || "UTC";
}

/** Forgets everything of one workspace and goes on in another. */
export function useEnterWorkspace() {
  const client = useQueryClient();
  return async (id: string) => {
    enterWorkspace(id);
    client.clear();
    await client.fetchQuery(sessionQuery);
  };
}
