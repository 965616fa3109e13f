import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useToast } from "@/ui/toast";
import { call } from "../api";
import { type EditorStore, set, useEditor } from "../store";

export interface Comment {
  id: string;
  /** The step it is about, "" for the whole funnel. */
  node: string;
  answers?: string;
  body: string;
  mentions: string[];
  written_by?: string;
  written_at: string;
  edited_at?: string;
  resolved_by?: string;
  resolved_at?: string;
  mine: boolean;
}

/** A comment and what was answered to it. */
export interface Talk {
  head: Comment;
  answers: Comment[];
}

export function talksOf(comments: readonly Comment[]): Talk[] {
  return comments
    .filter((c) => !c.answers)
    .map((head) => ({ head, answers: comments.filter((c) => c.answers === head.id) }));
}

/** The names a text mentions, by id: a name counts where "@Name" stands in the text. */
export function mentionedIn(text: string, members: readonly { id: string; name: string }[]): string[] {
  return members.filter((m) => text.includes(`@${m.name}`)).map((m) => m.id);
}

/** The beginning of a name that is being typed behind an "@", if the caret stands there. */
export function mentionAt(text: string, caret: number): string | undefined {
  return /(?:^|\s)@([^@\n]{0,40})$/.exec(text.slice(0, caret))?.[1];
}

const again = 15_000;
const none: Comment[] = [];

const keyOf = (funnel: string) => ["funnel", funnel, "comments"];

export function useComments(): Comment[] {
  const id = useEditor((s) => s.funnel.id);
  const found = useQuery({
    queryKey: keyOf(id),
    queryFn: () => call<{ items: Comment[] }>("GET", `/funnels/${id}/comments`),
    refetchInterval: again,
  });
  return found.data?.items ?? none;
}

/** Keeps the number of open talks of each step where the cards read it: five hundred cards ask the server nothing. */
export function useTalks(store: EditorStore): void {
  const comments = useComments();
  useEffect(() => {
    const talks = new Map<string, number>();
    for (const c of comments) if (!c.answers && !c.resolved_at) talks.set(c.node, (talks.get(c.node) ?? 0) + 1);
    set(store, { talks });
  }, [comments, store]);
}

/** What one can do about comments; each shows in the list at once when the server has it. */
export function useCommenting() {
  const id = useEditor((s) => s.funnel.id);
  const client = useQueryClient();
  const toast = useToast();
  const act = async (method: string, path: string, body?: unknown): Promise<boolean> => {
    try {
      await call(method, `/funnels/${id}/comments${path}`, body);
      await client.invalidateQueries({ queryKey: keyOf(id) });
      return true;
    } catch (error) {
      toast.failed(error);
      return false;
    }
  };
  return {
    write: (input: { node?: string; body: string; answers?: string; mentions: string[] }) => act("POST", "", input),
    resolve: (comment: string, resolved: boolean) => act("PATCH", `/${comment}`, { resolved }),
    remove: (comment: string) => act("DELETE", `/${comment}`),
  };
}
