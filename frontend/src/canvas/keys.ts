import { available, commandFor } from "./commands";
import { type EditorStore, set } from "./store";

/** Where keys mean text or belong to something open; commands stay out of there. */
const typing = "input, textarea, select, [contenteditable=true]";
const open = "[role=dialog], [role=menu], [role=listbox]";

/**
 * Keys of the editor. Undo and redo work wherever nobody types; single letters and arrows only while the focus is on the
 * canvas, the outline or nowhere. A focused button keeps Enter and Space for itself.
 */
export function onKey(store: EditorStore, e: KeyboardEvent): void {
  const target = e.target instanceof Element ? e.target : document.body;
  if (e.defaultPrevented || target.closest(typing) || target.closest(open)) return;
  if (e.key === "Escape") {
    set(store, { picker: undefined, dialog: undefined });
    return;
  }
  const card = target.closest("[data-testid^=step-]") !== null;
  if ((e.key === "Enter" || e.key === " ") && !card) return;
  const found = commandFor(e.key === " " ? { ...bare(e), key: "Enter" } : e);
  if (!found || !available(found, store.getState())) return;
  const anywhere = found.id === "undo" || found.id === "redo" || found.id === "prompt" || found.id === "shortcuts";
  if (!anywhere && target !== document.body && !target.closest("[data-canvas], [data-outline]")) return;
  // Text marked on the page is to be copied. What is marked inside a field that was left counts as collapsed.
  if (!anywhere && document.getSelection()?.isCollapsed === false) return;
  e.preventDefault();
  found.run(store);
}

function bare(e: KeyboardEvent) {
  return { key: e.key, ctrlKey: e.ctrlKey, metaKey: e.metaKey, shiftKey: e.shiftKey, altKey: e.altKey };
}
