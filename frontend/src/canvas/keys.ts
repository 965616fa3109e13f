import { available, commandFor, commands } from "./commands";
import { dropThere, nextPlace, stopMoving } from "./moving";
import { type EditorStore, select, set } from "./store";

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
    const s = store.getState();
    if (s.moving) stopMoving(store);
    else if (s.selection.length > 1 || s.edge || s.note) select(store, s.selection.slice(0, 1));
    set(store, { picker: undefined, dialog: undefined });
    return;
  }
  if (store.getState().moving) {
    whileMoving(store, e);
    return;
  }
  const card = target.closest("[data-testid^=step-]") !== null;
  if ((e.key === "Enter" || e.key === " ") && !card) return;
  const found = commandFor(e.key === " " ? { ...bare(e), key: "Enter" } : e);
  if (!found || !available(found, store.getState())) return;
  if (found.event) return;
  const { anywhere = false } = found;
  if (!anywhere && target !== document.body && !target.closest("[data-canvas], [data-outline]")) return;
  // Text marked on the page is to be copied. What is marked inside a field that was left counts as collapsed.
  if (!anywhere && document.getSelection()?.isCollapsed === false) return;
  e.preventDefault();
  found.run(store);
}

function whileMoving(store: EditorStore, e: KeyboardEvent): void {
  if (e.key === "ArrowDown" || e.key === "ArrowRight") nextPlace(store, 1);
  else if (e.key === "ArrowUp" || e.key === "ArrowLeft") nextPlace(store, -1);
  else if (e.key === "Enter" || e.key === " ") dropThere(store);
  else return;
  e.preventDefault();
}

/** The browser's own copy, cut and paste: ours wherever nobody types and no text is marked. */
export function onClipboard(store: EditorStore, e: ClipboardEvent): void {
  const target = e.target instanceof Element ? e.target : document.body;
  if (e.defaultPrevented || target.closest(typing) || target.closest(open)) return;
  if (e.type !== "paste" && document.getSelection()?.isCollapsed === false) return;
  const found = commands.find((c) => c.event === e.type);
  if (!found || !available(found, store.getState())) return;
  e.preventDefault();
  found.run(store, e);
}

function bare(e: KeyboardEvent) {
  const { code, ctrlKey, metaKey, shiftKey, altKey } = e;
  return { key: e.key, code, ctrlKey, metaKey, shiftKey, altKey };
}
