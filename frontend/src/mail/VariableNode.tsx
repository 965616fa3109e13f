import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Popover, TextInput } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import { mergeAttributes, Node } from "@tiptap/core";
import { type NodeViewProps, NodeViewWrapper, ReactNodeViewRenderer } from "@tiptap/react";
import { useState } from "react";
import { cursorAt } from "./cursor";
import m from "./mail.module.css";
import { useVariables, variableLabel } from "./variables";

/** A variable in a text: an atom that is written as {{ expr | default("fallback") }}. */
export const VariableNode = Node.create({
  name: "variable",
  group: "inline",
  inline: true,
  atom: true,
  selectable: true,
  addAttributes() {
    return { expr: { default: "" }, fallback: { default: null }, label: { default: null } };
  },
  parseHTML() {
    return [
      {
        tag: "span[data-variable]",
        getAttrs: (el) => ({ expr: el.getAttribute("data-variable"), fallback: el.getAttribute("data-fallback") }),
      },
    ];
  },
  renderHTML({ node, HTMLAttributes }) {
    return [
      "span",
      mergeAttributes(HTMLAttributes, { "data-variable": node.attrs.expr, "data-fallback": node.attrs.fallback ?? "" }),
      String(node.attrs.expr),
    ];
  },
  renderText: ({ node }) => `{{ ${node.attrs.expr} }}`,
  addNodeView() {
    return ReactNodeViewRenderer(Chip, { as: "span" });
  },
});

/** The chip: the name, and "or …" for the fallback. A click opens what to write when it is missing. */
function Chip({ node, updateAttributes, deleteNode, editor, getPos, selected }: NodeViewProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const known = useVariables();
  // Whoever is done with a variable writes on after it.
  const done = () => {
    setOpen(false);
    const at = getPos();
    if (at !== undefined) cursorAt(editor.view, at + node.nodeSize);
  };
  const expr = String(node.attrs.expr ?? "");
  const fallback = (node.attrs.fallback as string | null) ?? "";
  const label = variableLabel(expr, known);
  const unknown =
    !known.some((v) => expr.startsWith(v.expr)) && !expr.startsWith("event.") && !expr.startsWith("vars.");
  return (
    <NodeViewWrapper as="span" className={m.chipBox}>
      <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus closeOnEscape={false} zIndex={500}>
        <Popover.Target>
          <button
            type="button"
            contentEditable={false}
            data-chip
            className={`${m.chip} ${unknown ? m.chipUnknown : ""} ${selected || open ? m.chipOn : ""}`}
            aria-label={
              fallback ? t`Variable ${label}, or ${fallback}` : t`Variable ${label}, no text for when it is empty`
            }
            onClick={() => editor.isEditable && setOpen(true)}
          >
            {label}
            {fallback && (
              <small>
                <Trans>or {fallback}</Trans>
              </small>
            )}
          </button>
        </Popover.Target>
        <Popover.Dropdown
          className={m.pop}
          aria-label={t`Variable ${label}`}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.preventDefault();
            e.stopPropagation();
            done();
          }}
        >
          <h3 className={m.popHead}>
            <IconBraces size={15} stroke={1.75} />
            {label}
            <code>{expr}</code>
          </h3>
          <TextInput
            data-autofocus
            label={t`When it is empty, write`}
            placeholder={t`there`}
            value={fallback}
            onChange={(e) => updateAttributes({ fallback: e.currentTarget.value || null })}
            onKeyDown={(e) => {
              if (e.key === "Enter") {
                e.preventDefault();
                e.stopPropagation();
                done();
              }
            }}
          />
          <div className={m.popFoot}>
            <Button size="sm" variant="subtle" onClick={() => deleteNode()}>
              <Trans>Take it out</Trans>
            </Button>
            <Button size="sm" onClick={done}>
              <Trans>Done</Trans>
            </Button>
          </div>
        </Popover.Dropdown>
      </Popover>
    </NodeViewWrapper>
  );
}
