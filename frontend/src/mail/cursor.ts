import { NodeSelection, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

/** What is typed while a variable is selected goes after it. A letter must not replace what somebody chose from a list. */
export function typeAfterVariable(view: EditorView, text: string): boolean {
  const { selection, tr } = view.state;
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== "variable") return false;
  view.dispatch(
    tr.insertText(text, selection.to).setSelection(TextSelection.create(tr.doc, selection.to + text.length)),
  );
  return true;
}

/** A click into the empty room right of a line sets the cursor at its end, whatever stands there last. */
export function clickPastEnd(view: EditorView, at: number, event: MouseEvent): boolean {
  if (event.shiftKey || (event.target as Element | null)?.closest?.("[data-chip]")) return false;
  const place = view.state.doc.resolve(at);
  if (!place.parent.isTextblock) return false;
  const end = place.end();
  const last = view.coordsAtPos(end, -1);
  if (event.clientX < last.right || event.clientY < last.top) return false;
  cursorAt(view, end);
  return true;
}

export function cursorAt(view: EditorView, at: number): void {
  view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, at)).scrollIntoView());
  view.focus();
}
