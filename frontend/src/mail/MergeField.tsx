import { useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import { Node } from "@tiptap/core";
import { EditorContent } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import { docToLine, lineToDoc } from "./docs";
import m from "./mail.module.css";
import { useMergeEditor } from "./useMergeEditor";

/** One paragraph of plain text and variables, nothing else. */
const Line = Node.create({ name: "doc", topNode: true, content: "paragraph" });
const extensions = [
  Line,
  StarterKit.configure({
    document: false,
    blockquote: false,
    bold: false,
    bulletList: false,
    code: false,
    codeBlock: false,
    dropcursor: false,
    gapcursor: false,
    hardBreak: false,
    heading: false,
    horizontalRule: false,
    italic: false,
    link: false,
    listItem: false,
    listKeymap: false,
    orderedList: false,
    strike: false,
    trailingNode: false,
    underline: false,
  }),
];

interface Props {
  id?: string;
  label: string;
  value: string;
  placeholder?: string;
  invalid?: boolean;
  describedBy?: string | undefined;
  onChange: (text: string) => void;
}

/** One line of merge text with variables as chips. */
export function MergeField({ id, label, value, placeholder, invalid, describedBy, onChange }: Props) {
  const { t } = useLingui();
  const { editor, list, openList } = useMergeEditor({
    extensions,
    content: lineToDoc(value),
    onChange: (doc) => onChange(docToLine(doc)),
    onEnter: () => true,
    attributes: {
      role: "textbox",
      "aria-label": label,
      "aria-multiline": "false",
      ...(id ? { id } : {}),
      ...(invalid ? { "aria-invalid": "true" } : {}),
      ...(describedBy ? { "aria-describedby": describedBy } : {}),
    },
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field around the text; the keyboard comes to the text itself
    <div
      className={m.line}
      data-invalid={invalid}
      onMouseDown={(e) => {
        if ((e.target as Element).closest(".ProseMirror, button")) return;
        e.preventDefault();
        editor?.commands.focus("end");
      }}
    >
      {value === "" && placeholder && (
        <span className={m.placeholder} aria-hidden>
          {placeholder}
        </span>
      )}
      <EditorContent editor={editor} className={m.lineText} />
      <ActionIcon size="sm" aria-label={t`${label}: insert a variable`} title={t`Insert a variable`} onClick={openList}>
        <IconBraces size={15} stroke={1.75} />
      </ActionIcon>
      {list}
    </div>
  );
}
