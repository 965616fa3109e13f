import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { patchCreative } from "@/canvas/document";
import { titleOf } from "@/canvas/kinds";
import { apply, useEditor, useEditorStore } from "@/canvas/store";
import type { Creative, Step } from "@/canvas/types";
import { Field } from "@/inspector/Field";
import { MergeField } from "./MergeField";
import m from "./mail.module.css";

type Line = "title" | "text" | "url" | "icon";

/** What a text for a phone or a notification says: plain words with variables. */
export function PhoneForm({ step, slug, creative }: { step: Step; slug: string; creative: Creative }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const title = useEditor((s) => titleOf(step, s.catalogue, s.shown));
  const change = (key: Line | "template", text: string) =>
    apply(
      store,
      t`change the text of “${title}”`,
      (doc) =>
        patchCreative(doc, slug, (x) => {
          if (text) x[key] = text;
          else delete x[key];
        }),
      `${slug}/${key}`,
    );
  const push = creative.channel === "push";
  const lines: [Line, string, string][] = push
    ? [
        ["title", t`Title`, t`What is it about?`],
        ["text", t`Text`, t`What does it say?`],
        ["url", t`Where a tap leads`, "https://"],
        ["icon", t`Address of the icon`, "https://…/icon.png"],
      ]
    : [["text", t`Text`, t`What does it say?`]];
  return (
    <div className={m.stack}>
      {lines.map(([key, label, placeholder]) => (
        <Field key={key} step={step.id} path={`creative.${key}`} label={label}>
          {(ids) => (
            <MergeField
              id={ids.id}
              label={label}
              value={creative[key] ?? ""}
              placeholder={placeholder}
              invalid={ids["aria-invalid"] ?? false}
              describedBy={ids["aria-describedby"]}
              onChange={(text) => change(key, text)}
            />
          )}
        </Field>
      ))}
      {step.config.via === "whatsapp" && (
        <Field step={step.id} path="creative.template" label={t`Approved template`} note={t`optional`}>
          {(ids) => (
            <TextInput
              id={ids.id}
              aria-label={t`Approved template`}
              placeholder="order_update"
              value={creative.template ?? ""}
              onChange={(e) => change("template", e.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </div>
  );
}
