import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Menu } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sendersQuery } from "@/api/settings";
import { patchConfig, patchCreative } from "@/canvas/document";
import { titleOf } from "@/canvas/kinds";
import { readable } from "@/canvas/kinds/define";
import { apply, useEditor, useEditorStore } from "@/canvas/store";
import type { Block, Creative, Step } from "@/canvas/types";
import { Field } from "@/inspector/Field";
import { ReferenceSelect } from "@/inspector/fields/reference";
import { BlockEditor } from "./BlockEditor";
import { MergeField } from "./MergeField";
import m from "./mail.module.css";

interface Props {
  step: Step;
  slug: string;
  creative: Creative;
}

/** Sender, subject, preheader and the blocks of a message. */
export function MailForm({ step, slug, creative }: Props) {
  const { t } = useLingui();
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const title = useEditor((s) => titleOf(step, s.catalogue, s.shown));
  const senders = useQuery(sendersQuery).data ?? [];
  const first = senders.find((x) => x.is_default) ?? senders[0];
  const standard = first ? (first.name ? `${first.name} · ${first.email}` : first.email) : t`The default sender`;
  const [replies, setReplies] = useState(Boolean(creative.reply_to));
  const change = (label: string, field: string, edit: (creative: Creative) => void, typing = true) =>
    apply(store, label, (doc) => patchCreative(doc, slug, edit), typing ? `${slug}/${field}` : undefined);
  const line = (key: "subject" | "preheader" | "reply_to", label: string) => (text: string) =>
    change(t`change “${label}” of “${title}”`, key, (x) => {
      x[key] = text;
    });
  const [subject, preheader, replyTo] = [t`Subject`, t`Preheader`, t`Reply to`];
  const marketing = (step.config.class ?? "marketing") === "marketing";
  const move = (block: Block, by: -1 | 1) =>
    change(
      t`move a block of “${title}”`,
      "",
      (x) => {
        const i = x.blocks.findIndex((b) => b.id === block.id);
        const [taken] = x.blocks.splice(i, 1);
        if (taken) x.blocks.splice(i + by, 0, taken);
      },
      false,
    );
  const body = creative.blocks.filter((b) => b.type !== "footer");
  const paper = creative.channel === "letter";
  return (
    <div className={m.stack}>
      {!paper && (
        <>
          <div>
            <div className={m.from} data-field="sender">
              <span>{t`From`}</span>
              <ReferenceSelect
                of="sender"
                aria-label={t`From`}
                placeholder={standard}
                clearable
                value={step.config.sender as string | undefined}
                onChange={(v) =>
                  apply(store, t`change the sender of “${title}”`, (doc) =>
                    patchConfig(doc, catalogue, step.id, { sender: v }),
                  )
                }
              />
            </div>
            {!replies && (
              <Button size="sm" variant="subtle" mt={4} onClick={() => setReplies(true)}>
                <Trans>Send replies to another address…</Trans>
              </Button>
            )}
          </div>
          {replies && (
            <Field step={step.id} path="creative.reply_to" label={replyTo}>
              {(ids) => (
                <MergeField
                  id={ids.id}
                  label={replyTo}
                  value={creative.reply_to ?? ""}
                  placeholder="studio@example.com"
                  onChange={line("reply_to", replyTo)}
                />
              )}
            </Field>
          )}
          <Field
            step={step.id}
            path="creative.subject"
            label={subject}
            note={plural(readable(creative.subject).length, { one: "# character", other: "# characters" })}
          >
            {(ids) => (
              <MergeField
                id={ids.id}
                label={subject}
                value={creative.subject ?? ""}
                placeholder={t`What is it about?`}
                invalid={ids["aria-invalid"] ?? false}
                describedBy={ids["aria-describedby"]}
                onChange={line("subject", subject)}
              />
            )}
          </Field>
          <Field step={step.id} path="creative.preheader" label={preheader} note={t`shown after the subject`}>
            {(ids) => (
              <MergeField
                id={ids.id}
                label={preheader}
                value={creative.preheader ?? ""}
                onChange={line("preheader", preheader)}
              />
            )}
          </Field>
        </>
      )}
      <Field step={step.id} path="creative.blocks" own label={t`Text`}>
        {() => (
          <div className={m.blocks}>
            {body.map((block, i) => (
              <BlockEditor
                key={block.id}
                step={step.id}
                block={block}
                only={body.length === 1}
                first={i === 0}
                last={i === body.length - 1}
                move={(by) => move(block, by)}
                remove={() =>
                  change(
                    t`remove a block of “${title}”`,
                    "",
                    (x) => {
                      x.blocks = x.blocks.filter((b) => b.id !== block.id);
                    },
                    false,
                  )
                }
                change={(patch) =>
                  change(t`change the text of “${title}”`, block.id, (x) => {
                    const target = x.blocks.find((b) => b.id === block.id);
                    if (target) Object.assign(target, patch);
                  })
                }
              />
            ))}
            <AddBlock
              paper={paper}
              add={(type) =>
                change(
                  t`add a block to “${title}”`,
                  "",
                  (x) => {
                    const foot = x.blocks.findIndex((b) => b.type === "footer");
                    x.blocks.splice(foot < 0 ? x.blocks.length : foot, 0, newBlock(x, type));
                  },
                  false,
                )
              }
            />
            <Footer
              marketing={marketing && !paper}
              creative={creative}
              add={() =>
                change(t`add the footer to “${title}”`, "", (x) => void x.blocks.push(newBlock(x, "footer")), false)
              }
            />
          </div>
        )}
      </Field>
    </div>
  );
}

function newBlock(creative: Creative, type: Block["type"]): Block {
  const n = Math.max(0, ...creative.blocks.map((b) => Number(b.id.split("-").at(-1)) || 0)) + 1;
  const id = `${type}-${n}`;
  switch (type) {
    case "heading":
      return { id, type, text: "", level: 1 };
    case "text":
      return { id, type, doc: { type: "doc", content: [{ type: "paragraph" }] } };
    case "button":
      return { id, type, text: "", url: "" };
    case "image":
      return { id, type, url: "", alt: "" };
    case "spacer":
      return { id, type, height: 24 };
    default:
      return { id, type };
  }
}

function AddBlock({ paper, add }: { paper: boolean; add: (type: Block["type"]) => void }) {
  const { t } = useLingui();
  const types: { type: Block["type"]; label: string }[] = [
    { type: "text", label: t`Text` },
    { type: "button", label: t`Button` },
    { type: "heading", label: t`Heading` },
    { type: "image", label: t`Picture` },
    { type: "divider", label: t`Line` },
    { type: "spacer", label: t`Space` },
  ];
  // On paper nothing can be clicked, and nothing is fetched to be printed.
  const offered = types.filter((x) => !paper || (x.type !== "button" && x.type !== "image"));
  return (
    <Menu>
      <Menu.Target>
        <Button size="sm" style={{ alignSelf: "flex-start" }} leftSection={<IconPlus size={14} stroke={1.75} />}>
          <Trans>Add a block</Trans>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map((x) => (
          <Menu.Item key={x.type} onClick={() => add(x.type)}>
            {x.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Footer({ marketing, creative, add }: { marketing: boolean; creative: Creative; add: () => void }) {
  const has = creative.blocks.some((b) => b.type === "footer");
  if (has)
    return (
      <p className={m.locked}>
        {marketing ? (
          <Trans>Your address and the unsubscribe link are added below the text.</Trans>
        ) : (
          <Trans>Your address is added below the text.</Trans>
        )}
      </p>
    );
  if (!marketing) return null;
  return (
    <p className={m.locked}>
      <Trans>Marketing mail needs a footer with your address and the unsubscribe link.</Trans>
      <Button size="sm" onClick={add}>
        <Trans>Add the footer</Trans>
      </Button>
    </p>
  );
}
