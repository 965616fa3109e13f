import { useEffect } from "react";
import { type EditorStore, select } from "./store";

const rowsOf = (tree: HTMLElement) => [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")];

/** The row the keyboard is on, if it is on one. */
const rowAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>("[role=treeitem]") : null;

const stepOf = (row: HTMLElement) => row.dataset.testid?.replace(/^step-/, "") ?? "";

/** The tree is one stop of Tab: the row that was last used, else the chosen step, else the first. */
export function useOneStop(tree: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = tree.current;
    if (!box) return;
    const all = rowsOf(box);
    const stop =
      all.find((row) => row === rowAt(document.activeElement)) ??
      all.find((row) => row.getAttribute("aria-selected") === "true") ??
      all[0];
    for (const row of all) row.tabIndex = row === stop ? 0 : -1;
  });
}

function goTo(store: EditorStore, rows: HTMLElement[], row: HTMLElement | undefined): void {
  if (!row) return;
  for (const other of rows) other.tabIndex = other === row ? 0 : -1;
  if (row.dataset.testid?.startsWith("step-")) select(store, [stepOf(row)]);
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

/** Arrows, Home and End as in every tree; A on a place for a step adds one there; the menu key opens the row's menu. */
export function onTreeKey(store: EditorStore, e: React.KeyboardEvent<HTMLElement>): void {
  const row = rowAt(e.target);
  if (!row || store.getState().moving || e.ctrlKey || e.metaKey || e.altKey) return;
  const rows = rowsOf(e.currentTarget);
  const at = rows.indexOf(row);
  const open = row.getAttribute("aria-expanded");
  const level = Number(row.getAttribute("aria-level"));
  switch (e.key) {
    case "ArrowDown":
      goTo(store, rows, rows[at + 1]);
      break;
    case "ArrowUp":
      goTo(store, rows, rows[at - 1]);
      break;
    case "Home":
      goTo(store, rows, rows[0]);
      break;
    case "End":
      goTo(store, rows, rows.at(-1));
      break;
    case "ArrowRight":
      if (open === "false") row.click();
      else goTo(store, rows, rows[at + 1]);
      break;
    case "ArrowLeft":
      if (open === "true") row.click();
      else
        goTo(
          store,
          rows,
          rows.slice(0, at).findLast((r) => Number(r.getAttribute("aria-level")) < level),
        );
      break;
    case "F10":
    case "ContextMenu":
      if (e.key === "F10" && !e.shiftKey) return;
      row.querySelector<HTMLElement>("[aria-haspopup=menu]")?.click();
      break;
    case "a":
    case "A":
      if (!row.dataset.outlineSlot) return;
      row.click();
      break;
    default:
      return;
  }
  e.preventDefault();
  e.stopPropagation();
}

/** On paper the funnel is its outline, whatever is on the screen. */
export function usePrinting(print: (on: boolean) => void): void {
  useEffect(() => {
    const before = () => print(true);
    const after = () => print(false);
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, [print]);
}
