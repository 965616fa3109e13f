import { Extension } from "@tiptap/core";
import { PluginKey } from "@tiptap/pm/state";
import Suggestion, { type SuggestionProps } from "@tiptap/suggestion";
import type { Variable } from "./variables";

export interface Suggesting {
  query: string;
  rect: DOMRect | null;
  choose: (variable: Variable) => void;
}

interface Options {
  /** Told what is being suggested, or undefined when nothing is. */
  onChange: (now: Suggesting | undefined) => void;
  /** Keys while the list is open; true when the list took the key. */
  onKey: (e: KeyboardEvent) => boolean;
}

/** Typing "{" opens the list of variables. */
export const VariableSuggestion = Extension.create<Options>({
  name: "variableSuggestion",
  addOptions() {
    return { onChange: () => {}, onKey: () => false };
  },
  addProseMirrorPlugins() {
    const { onChange, onKey } = this.options;
    const tell = (p: SuggestionProps<Variable>) =>
      onChange({ query: p.query, rect: p.clientRect?.() ?? null, choose: (v) => p.command(v) });
    return [
      Suggestion<Variable>({
        editor: this.editor,
        pluginKey: new PluginKey("variables"),
        char: "{",
        allowedPrefixes: null,
        allowSpaces: false,
        items: () => [],
        command: ({ editor, range, props }) => {
          editor
            .chain()
            .focus()
            .insertContentAt(range, [
              { type: "variable", attrs: { expr: props.expr, fallback: null, label: props.label } },
            ])
            .run();
        },
        render: () => ({
          onStart: tell,
          onUpdate: tell,
          onKeyDown: ({ event }) => onKey(event),
          onExit: () => onChange(undefined),
        }),
      }),
    ];
  },
});
