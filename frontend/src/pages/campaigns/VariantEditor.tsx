import { useMemo } from "react";
import type { CatalogueData, Creative } from "@/canvas/types";
import { CreativeEditor } from "@/mail/CreativeEditor";
import { SendTest } from "@/mail/SendTest";
import classes from "./campaigns.module.css";
import type { Problem } from "./parts";
import type { Draft } from "./useDraft";

interface VariantEditorProps {
  draft: Draft;
  variant: string;
  problems: Problem[];
  data: CatalogueData;
}

/** One wording of the message: what is changed in the editor goes into the campaign. */
export function VariantEditor({ draft, variant, problems, data }: VariantEditorProps) {
  const { document } = draft;
  const creative = document.variants.find((one) => one.id === variant)?.creative;
  const own = useMemo(() => problems.filter((problem) => problem.node === variant), [problems, variant]);
  return (
    <CreativeEditor
      creative={(creative ?? { channel: document.channel, blocks: [] }) as Creative}
      data={data}
      sender={document.sender || undefined}
      problems={own as never}
      onChange={(next, sender) =>
        draft.change((now) => ({
          ...now,
          sender: sender ?? "",
          variants: now.variants.map((one) => (one.id === variant ? { ...one, creative: next as never } : one)),
        }))
      }
    >
      {(step, now) =>
        now.channel === "email" && (
          <div className={classes.proof}>
            <SendTest step={step} creative={now} />
          </div>
        )
      }
    </CreativeEditor>
  );
}
