import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "./client";

export type Task = Schemas["Task"];

export const hasEnded = (task: Task | undefined) =>
  task !== undefined && task.state !== "queued" && task.state !== "running";

/** A task, asked for again each 700 ms until it has ended. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id],
    queryFn: () => ask(api.GET("/tasks/{id}", { params: { path: { id } } })),
    refetchInterval: (query) => (hasEnded(query.state.data) ? false : 700),
  });

export const cancelTask = (id: string) => ask(api.POST("/tasks/{id}/cancel", { params: { path: { id } } }));
