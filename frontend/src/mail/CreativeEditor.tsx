import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { makeCatalogue } from "@/canvas/catalogue";
import { emptyHistory } from "@/canvas/history";
import { EditorContext, makeStore, set, useEditor } from "@/canvas/store";
import type { CatalogueData, Creative, Problem, Step } from "@/canvas/types";
import { CreativeForm } from "./CreativeForm";
import { MailPreview } from "./MailPreview";
import m from "./mail.module.css";

interface CreativeEditorProps {
  creative: Creative;
  data: CatalogueData;
  sender?: string | undefined;
  /** What is wrong with the message, in its own paths. */
  problems?: Problem[];
  onChange: (creative: Creative, sender: string | undefined) => void;
  /** Below the preview. */
  children?: (step: Step, creative: Creative) => ReactNode;
}

const step = "message";
const slug = "message";

/**
 * The editor of messages outside a funnel. Its store holds a funnel of one step that sends this message; what is changed
 * there is told. It begins with the message given first.
 */
export function CreativeEditor({ creative, data, sender, problems, onChange, children }: CreativeEditorProps) {
  const [store] = useState(() =>
    makeStore(
      {
        funnel: {
          id: "",
          slug: "",
          name: "",
          state: "draft",
          version: 0,
          changed: false,
          created_at: "",
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
              kind: `send_${creative.channel}`,
              name: "",
              config: { creative: `creative:${slug}`, class: "marketing", ...(sender ? { sender } : {}) },
            },
          ],
          edges: [{ from: "start", port: "next", to: step }],
        },
        creatives: { [slug]: creative },
        problems: [],
      },
      makeCatalogue(data),
      emptyHistory,
    ),
  );

  const tell = useEffectEvent(() => {
    const { doc } = store.getState();
    const now = doc.creatives[slug];
    const from = doc.graph.nodes.find((node) => node.id === step)?.config.sender as string | undefined;
    if (now) onChange(now, from);
  });
  useEffect(
    () =>
      store.subscribe((now, before) => {
        if (now.doc !== before.doc) tell();
      }),
    [store],
  );

  useEffect(() => {
    set(store, { problems: (problems ?? []).map((problem) => ({ ...problem, node: step })) });
  }, [problems, store]);

  return (
    <EditorContext.Provider value={store}>
      <Both>{children}</Both>
    </EditorContext.Provider>
  );
}

function Both({ children }: { children: CreativeEditorProps["children"] }) {
  const node = useEditor((s) => s.shown.graph.nodes.find((one) => one.id === step));
  const creative = useEditor((s) => s.shown.creatives[slug]);
  if (!node || !creative) return null;
  return (
    <div className={m.both}>
      <div>
        <CreativeForm step={node} slug={slug} creative={creative} />
      </div>
      <div>
        <MailPreview step={node} creative={creative} />
        {children?.(node, creative)}
      </div>
    </div>
  );
}
