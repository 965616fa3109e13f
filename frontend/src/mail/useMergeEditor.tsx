import type { Content, Extensions, JSONContent } from "@tiptap/core";
import { type Editor, useEditor as useTiptap } from "@tiptap/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { clickPastEnd, typeAfterVariable } from "./cursor";
import { type Suggesting, VariableSuggestion } from "./suggest";
import { type ListHandle, VariableList } from "./VariableList";
import { VariableNode } from "./VariableNode";

interface Options {
  extensions: Extensions;
  content: JSONContent;
  /** Told the document after each change a person made. */
  onChange: (doc: JSONContent) => void;
  attributes: Record<string, string>;
  onEnter?: (() => boolean) | undefined;
}

/**
 * An editor of merge text: variables are chips, "{" lists them. The funnel's document stays the truth: what undo or
 * another hand changes there is taken over, what was typed here goes there.
 */
export function useMergeEditor({ extensions, content, onChange, attributes, onEnter }: Options): {
  editor: Editor | null;
  list: ReactNode;
  openList: () => void;
} {
  const [suggesting, setSuggesting] = useState<Suggesting>();
  const handle = useRef<ListHandle>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const text = JSON.stringify(content);
  const seen = useRef(text);
  const all = useMemo(
    () => [
      ...extensions,
      VariableNode,
      VariableSuggestion.configure({ onChange: setSuggesting, onKey: (e) => handle.current?.onKey(e) ?? false }),
    ],
    [extensions],
  );
  const editor = useTiptap({
    extensions: all,
    content: content as Content,
    immediatelyRender: true,
    shouldRerenderOnTransaction: false,
    editorProps: {
      attributes,
      handleTextInput: (view, _from, _to, text) => typeAfterVariable(view, text),
      handleClick: clickPastEnd,
      handleKeyDown: (_view, e) => (e.key === "Enter" && !handle.current && onEnter ? onEnter() : false),
    },
    onUpdate: ({ editor: e, transaction }) => {
      if (transaction.getMeta("outside")) return;
      const doc = e.getJSON();
      seen.current = JSON.stringify(doc);
      changed.current(doc);
    },
  });
  useEffect(() => {
    if (!editor || text === seen.current) return;
    seen.current = text;
    if (JSON.stringify(editor.getJSON()) === text) return;
    editor
      .chain()
      .command(({ tr }) => {
        tr.setMeta("outside", true).setMeta("addToHistory", false);
        return true;
      })
      .setContent(JSON.parse(text) as Content, { emitUpdate: false })
      .run();
  }, [editor, text]);
  const list = suggesting ? (
    <VariableList
      ref={handle}
      query={suggesting.query}
      rect={suggesting.rect}
      choose={suggesting.choose}
      close={() => setSuggesting(undefined)}
    />
  ) : null;
  const openList = () => editor?.chain().focus().insertContent("{").run();
  return { editor, list, openList };
}
