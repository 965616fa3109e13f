import { useLingui } from "@lingui/react/macro";
import { IconX } from "@tabler/icons-react";
import { ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useRef, useState } from "react";
import { useFormat } from "@/ui/format";
import type { Box } from "./layout";
import n from "./note.module.css";
import { moveNote, removeNote, resizeNote, writeNote } from "./noteEdits";
import { type Line, linesOf, noteBox } from "./notes";
import { select, set, useEditor, useEditorStore } from "./store";
import type { Note } from "./types";

const none: Note[] = [];

/** The notes, under the cards when they frame some, else beside them. */
export function NoteLayer() {
  const notes = useEditor((s) => s.shown.layout.notes ?? none);
  return (
    <ViewportPortal>
      {notes.map((note) => (
        <NoteCard key={note.id} note={note} />
      ))}
    </ViewportPortal>
  );
}

const NoteCard = memo(function NoteCard({ note }: { note: Note }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const ref = useRef<HTMLDivElement>(null);
  const picture = useEditor((s) => s.picture);
  const chosen = useEditor((s) => s.note?.id === note.id);
  const writing = useEditor((s) => s.note?.id === note.id && s.note.writing);
  const readOnly = useEditor((s) => s.proposal !== undefined);
  const [by, setBy] = useState<{ move?: [number, number]; size?: [number, number] }>({});
  const { day } = useFormat();
  const frame = (note.around?.length ?? 0) > 0;
  const box = shifted(noteBox(note, picture), by);
  const write = (on: boolean) => set(store, { note: { id: note.id, writing: on } });
  useEffect(() => {
    if (chosen && !writing) ref.current?.focus({ preventScroll: true });
  }, [chosen, writing]);

  const drag = (e: React.PointerEvent, what: "move" | "size") => {
    if (e.button !== 0 || readOnly || writing) return;
    e.stopPropagation();
    const zoom = store.getState().camera?.scale() ?? 1;
    const far = (ev: PointerEvent): [number, number] => [
      (ev.clientX - e.clientX) / zoom,
      (ev.clientY - e.clientY) / zoom,
    ];
    const onMove = (ev: PointerEvent) => setBy({ [what]: far(ev) });
    const onUp = (ev: PointerEvent) => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      const [dx, dy] = far(ev);
      setBy({});
      if (Math.hypot(dx, dy) * zoom < 4) return;
      if (what === "size") resizeNote(store, note.id, dx, dy);
      else moveNote(store, note.id, dx, dy);
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
  };

  const onKeyDown = (e: React.KeyboardEvent) => {
    if (e.target !== e.currentTarget || readOnly) return;
    const step = ({ ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, -8], ArrowDown: [0, 8] } as const)[
      e.key as "ArrowUp"
    ];
    if (e.key === "Enter") write(true);
    else if (e.key === "Delete" || e.key === "Backspace") removeNote(store, note.id);
    else if (step && e.shiftKey) resizeNote(store, note.id, step[0], step[1]);
    else if (step) moveNote(store, note.id, step[0], step[1]);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const words = note.text.trim() || t`empty`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a note on a canvas is no form
    <div
      ref={ref}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved, resized and written by keyboard
      tabIndex={0}
      aria-label={t`Note: ${words}`}
      data-testid={note.id}
      data-chosen={chosen}
      data-frame={frame}
      className={`nopan ${n.note}`}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height }}
      onClick={() => {
        if (chosen) return;
        select(store, []);
        write(false);
      }}
      onDoubleClick={() => !readOnly && write(true)}
      onPointerDown={(e) => drag(e, "move")}
      onKeyDown={onKeyDown}
    >
      {writing ? (
        <textarea
          // biome-ignore lint/a11y/noAutofocus: the note was opened to be written
          autoFocus
          className={n.text}
          aria-label={t`Text of the note`}
          placeholder={t`What should others know? **bold**, *italic*, - list`}
          value={note.text}
          maxLength={2000}
          onChange={(e) => writeNote(store, note.id, e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.stopPropagation();
            write(false);
          }}
          onBlur={() => store.getState().note?.id === note.id && set(store, { note: undefined })}
        />
      ) : (
        <div className={n.lines}>
          {linesOf(note.text).map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            <Words key={i} line={line} />
          ))}
        </div>
      )}
      {(note.by || note.at) && !frame && (
        <div className={n.by}>{[note.by, note.at ? day(note.at) : ""].filter(Boolean).join(", ")}</div>
      )}
      {!readOnly && (
        <>
          <button
            type="button"
            className={n.remove}
            aria-label={t`Remove the note`}
            title={t`Remove the note`}
            onClick={(e) => {
              e.stopPropagation();
              removeNote(store, note.id);
            }}
          >
            <IconX size={13} stroke={1.75} />
          </button>
          {!frame && (
            <div
              className={n.corner}
              data-testid={`resize-${note.id}`}
              title={t`Drag to resize; with the keyboard Shift and arrows`}
              onPointerDown={(e) => drag(e, "size")}
            />
          )}
        </>
      )}
    </div>
  );
});

function Words({ line }: { line: Line }) {
  return (
    <p className={line.kind === "head" ? n.head : line.kind === "item" ? n.item : undefined}>
      {line.parts.map((p, i) => {
        const key = `${i}${p.text}`;
        if (p.kind === "bold") return <b key={key}>{p.text}</b>;
        if (p.kind === "italic") return <i key={key}>{p.text}</i>;
        if (p.kind === "link")
          return (
            <a key={key} href={p.href} target="_blank" rel="noreferrer">
              {p.text}
            </a>
          );
        return <span key={key}>{p.text}</span>;
      })}
      {line.parts.length === 0 && "\u00a0"}
    </p>
  );
}

function shifted(box: Box, by: { move?: [number, number]; size?: [number, number] }): Box {
  const [dx, dy] = by.move ?? [0, 0];
  const [dw, dh] = by.size ?? [0, 0];
  return { x: box.x + dx, y: box.y + dy, width: Math.max(80, box.width + dw), height: Math.max(80, box.height + dh) };
}
