import { useRef } from "react";
import { type EditorState, useEditor } from "./store";

/**
 * Several answers of the editor as one. Each hook of its own is asked again at every change anywhere: a card with twenty of
 * them makes five hundred cards ten thousand questions for one key press.
 */
export function useView<T extends object>(select: (state: EditorState) => T): T {
  const last = useRef<T>(undefined);
  return useEditor((s) => {
    const next = select(s);
    if (last.current && alike(last.current, next)) return last.current;
    last.current = next;
    return next;
  });
}

/** Two records with the same keys whose values are the same objects. */
function alike<T extends object>(a: T, b: T): boolean {
  for (const key in b) if (!Object.is(a[key], b[key])) return false;
  return true;
}
