import { useEffect, useEffectEvent, useState } from "react";
import { makeCatalogue } from "@/canvas/catalogue";
import { emptyHistory } from "@/canvas/history";
import { EditorContext, makeStore, set, useEditor } from "@/canvas/store";
import type { CatalogueData, Creative } from "@/canvas/types";
import { CreativeForm } from "@/mail/CreativeForm";
import { MailPreview } from "@/mail/MailPreview";
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

const step = "message";

/**
 * The editor of messages, as in a funnel: its store holds a funnel of one step that sends this variant, and what is
 * changed there goes into the campaign.
 */
export function VariantEditor({ draft, variant, problems, data }: VariantEditorProps) {
  const [store] = useState(() => {
    const { document } = draft;
    const creative = document.variants.find((one) => one.id === variant)?.creative;
    return makeStore(
      {
        funnel: {
          id: "",
          slug: "",
          name: draft.name,
          state: "draft",
          version: 0,
          changed: false,
          updated_at: "",
          counts: { active: 0, done: 0, exited: 0, parked: 0 },
        },
        revision: 0,
        graph: {
          schema: 1,
          nodes: [
            { id: "start", kind: "entry", name: "", config: { triggers: [{ kind: "manual" }] } },
            {
              id: step,
              kind: `send_${document.channel}`,
              name: "",
              config: {
                creative: `creative:${variant}`,
                class: "marketing",
                ...(document.sender ? { sender: document.sender } : {}),
              },
            },
          ],
          edges: [{ from: "start", port: "next", to: step }],
        },
        creatives: { [variant]: (creative ?? { channel: document.channel, blocks: [] }) as Creative },
        problems: [],
      },
      makeCatalogue(data),
      emptyHistory,
    );
  });

  const take = useEffectEvent(() => {
    const { doc } = store.getState();
    const creative = doc.creatives[variant];
    const sender = doc.graph.nodes.find((node) => node.id === step)?.config.sender as string | undefined;
    if (!creative) return;
    draft.change((now) => ({
      ...now,
      sender: sender ?? "",
      variants: now.variants.map((one) => (one.id === variant ? { ...one, creative: creative as never } : one)),
    }));
  });
  useEffect(
    () =>
      store.subscribe((now, before) => {
        if (now.doc !== before.doc) take();
      }),
    [store],
  );

  useEffect(() => {
    const own = problems.filter((problem) => problem.node === variant);
    set(store, { problems: own.map((problem) => ({ ...problem, node: step })) as never });
  }, [problems, store, variant]);

  return (
    <EditorContext.Provider value={store}>
      <Both variant={variant} />
    </EditorContext.Provider>
  );
}

function Both({ variant }: { variant: string }) {
  const node = useEditor((s) => s.shown.graph.nodes.find((one) => one.id === step));
  const creative = useEditor((s) => s.shown.creatives[variant]);
  if (!node || !creative) return null;
  return (
    <div className={classes.editor}>
      <div className={classes.words}>
        <CreativeForm step={node} slug={variant} creative={creative} />
      </div>
      <div className={classes.shown}>
        <MailPreview step={node} creative={creative} />
        {creative.channel === "email" && (
          <div className={classes.proof}>
            <SendTest step={node} creative={creative} />
          </div>
        )}
      </div>
    </div>
  );
}
