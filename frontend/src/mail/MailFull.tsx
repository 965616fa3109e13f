import { Trans } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import { creativeSlug } from "@/canvas/document";
import { titleOf } from "@/canvas/kinds";
import { set, useEditor, useEditorStore } from "@/canvas/store";
import { CreativeForm } from "./CreativeForm";
import { MailPreview } from "./MailPreview";
import m from "./mail.module.css";

/** The mail editor over the whole window: words on the left, the message on the right. */
export default function MailFull({ id }: { id: string }) {
  const store = useEditorStore();
  const step = useEditor((s) => s.shown.graph.nodes.find((n) => n.id === id));
  const slug = step ? (creativeSlug(step) ?? "") : "";
  const creative = useEditor((s) => s.shown.creatives[slug]);
  const title = useEditor((s) => (step ? titleOf(step, s.catalogue, s.shown) : ""));
  if (!step || !creative) return null;
  return (
    <Modal
      opened
      fullScreen
      radius={0}
      title={creative.channel === "email" ? <Trans>E-mail: {title}</Trans> : title}
      onClose={() => set(store, { dialog: undefined })}
      styles={{ body: { padding: 0 } }}
    >
      <div className={m.full}>
        <div className={m.fullLeft}>
          <CreativeForm step={step} slug={slug} creative={creative} />
        </div>
        <div className={m.fullRight}>
          <MailPreview step={step} creative={creative} tall />
        </div>
      </div>
    </Modal>
  );
}
