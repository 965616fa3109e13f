import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Popover, TextInput } from "@mantine/core";
import { IconBold, IconBraces, IconItalic, IconLink, IconList, IconListNumbers } from "@tabler/icons-react";
import type { JSONContent } from "@tiptap/core";
import { EditorContent, useEditorState } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import { useState } from "react";
import { docText } from "./docs";
import m from "./mail.module.css";
import { useMergeEditor } from "./useMergeEditor";

const brace = "{";

type TiptapEditor = NonNullable<ReturnType<typeof useMergeEditor>["editor"]>;

const extensions = [
  StarterKit.configure({
    blockquote: false,
    code: false,
    codeBlock: false,
    heading: false,
    horizontalRule: false,
    dropcursor: false,
    gapcursor: false,
    link: { openOnClick: false, autolink: true, HTMLAttributes: { target: null, rel: null } },
  }),
];

/** The text of a message: bold, italic, links, lists and variables. */
export function RichText({
  doc,
  label,
  onChange,
}: {
  doc: unknown;
  label: string;
  onChange: (doc: JSONContent) => void;
}) {
  const { editor, list, openList } = useMergeEditor({
    extensions,
    content: (doc as JSONContent | undefined) ?? { type: "doc", content: [{ type: "paragraph" }] },
    onChange,
    attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label },
  });
  return (
    <div className={m.rich}>
      {editor && <Toolbar editor={editor} openList={openList} />}
      <div className={m.richBox}>
        {docText(doc).trim() === "" && (
          <span className={m.placeholder} aria-hidden>
            <Trans>Write the message. Type {brace} for a variable.</Trans>
          </span>
        )}
        <EditorContent editor={editor} className={m.richText} />
      </div>
      {list}
    </div>
  );
}

function Toolbar({ editor, openList }: { editor: TiptapEditor; openList: () => void }) {
  const { t } = useLingui();
  const on = useEditorState({
    editor,
    selector: ({ editor: e }) => ({
      bold: e.isActive("bold"),
      italic: e.isActive("italic"),
      link: e.isActive("link"),
      bullets: e.isActive("bulletList"),
      numbers: e.isActive("orderedList"),
    }),
  });
  const run = () => editor.chain().focus();
  return (
    <div className={m.bar} role="toolbar" aria-label={t`Format`}>
      <Tool label={t`Bold`} on={on.bold} icon={IconBold} press={() => run().toggleBold().run()} />
      <Tool label={t`Italic`} on={on.italic} icon={IconItalic} press={() => run().toggleItalic().run()} />
      <LinkTool editor={editor} on={on.link} />
      <Tool label={t`Bullets`} on={on.bullets} icon={IconList} press={() => run().toggleBulletList().run()} />
      <Tool label={t`Numbers`} on={on.numbers} icon={IconListNumbers} press={() => run().toggleOrderedList().run()} />
      <span className={m.barRule} />
      <button type="button" className={m.barWord} onClick={openList}>
        <IconBraces size={15} stroke={1.75} />
        <Trans>Variable</Trans>
      </button>
    </div>
  );
}

function Tool({
  label,
  on,
  icon: Icon,
  press,
}: {
  label: string;
  on: boolean;
  icon: typeof IconBold;
  press: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={on}
      onMouseDown={(e) => e.preventDefault()}
      onClick={press}
    >
      <Icon size={16} stroke={1.75} />
    </button>
  );
}

function LinkTool({ editor, on }: { editor: TiptapEditor; on: boolean }) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const [href, setHref] = useState("");
  const apply = () => {
    const chain = editor.chain().focus().extendMarkRange("link");
    if (href.trim())
      chain.setLink({ href: /^[a-z]+:|^\{\{/i.test(href) ? href.trim() : `https://${href.trim()}` }).run();
    else chain.unsetLink().run();
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} trapFocus>
      <Popover.Target>
        <button
          type="button"
          aria-label={t`Link`}
          title={t`Link`}
          aria-pressed={on}
          onClick={() => {
            setHref(String(editor.getAttributes("link").href ?? ""));
            setOpen(true);
          }}
        >
          <IconLink size={16} stroke={1.75} />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={m.pop}>
        <TextInput
          data-autofocus
          label={t`Address of the link`}
          placeholder="https://"
          value={href}
          onChange={(e) => setHref(e.currentTarget.value)}
          onKeyDown={(e) => e.key === "Enter" && apply()}
        />
        <div className={m.popFoot}>
          <Button size="sm" variant="filled" onClick={apply}>
            <Trans>Set the link</Trans>
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
