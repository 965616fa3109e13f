import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconArrowsMaximize } from "@tabler/icons-react";
import { creativeSlug } from "@/canvas/document";
import { set, useEditor, useEditorStore } from "@/canvas/store";
import type { Step } from "@/canvas/types";
import c from "@/inspector/inspector.module.css";
import { CreativeForm } from "./CreativeForm";
import { MailPreview } from "./MailPreview";
import { SendTest } from "./SendTest";

/** The Content tab of a message: what it says, and below how it looks. */
export default function MailTab({ step }: { step: Step }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const slug = creativeSlug(step) ?? "";
  const creative = useEditor((s) => s.shown.creatives[slug]);
  if (!creative)
    return (
      <div className={c.body}>
        <p
          className={c.purpose}
        >{t`The message of this step is missing. Choose another step, or remove this one and add it again.`}</p>
      </div>
    );
  return (
    <>
      <div className={c.body}>
        <CreativeForm step={step} slug={slug} creative={creative} />
        <MailPreview step={step} creative={creative} />
      </div>
      <footer className={c.foot}>
        {creative.channel === "email" && <SendTest step={step} creative={creative} />}
        <span style={{ flex: 1 }} />
        <Button
          leftSection={<IconArrowsMaximize size={15} stroke={1.75} />}
          onClick={() => set(store, { dialog: { kind: "mail", step: step.id } })}
        >
          <Trans>Open full editor</Trans>
        </Button>
      </footer>
    </>
  );
}
