import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Modal, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import type { Template } from "@/api/templates";
import { api } from "@/canvas/api";
import { Drawing } from "@/canvas/Drawing";
import type { CatalogueData, Creative, Graph } from "@/canvas/types";
import { Frame, Framed } from "@/mail/MailPreview";
import { useConfirm } from "@/ui/useConfirm";
import classes from "./gallery.module.css";
import { Channels } from "./TemplateCard";

interface TemplatePreviewProps {
  template: Template;
  data: CatalogueData;
  busy: boolean;
  onUse: () => void;
  /** Of a template that was made here. */
  onDelete: () => Promise<unknown>;
  onClose: () => void;
}

/** A template before it is used: the funnel to read, and its messages as somebody without a name would get them. */
export function TemplatePreview({ template, data, busy, onUse, onDelete, onClose }: TemplatePreviewProps) {
  const { t } = useLingui();
  const can = useCan();
  const [dialog, confirm] = useConfirm();
  const graph = template.graph as unknown as Graph;
  const creatives = template.creatives as unknown as Record<string, Creative>;
  return (
    <Modal opened onClose={onClose} title={template.name} size={980}>
      {dialog}
      <div className={classes.preview} data-testid="template-preview">
        <div className={classes.drawn}>
          <Drawing graph={graph} creatives={creatives} data={data} named label={t`The funnel “${template.name}”`} />
        </div>
        <div className={classes.beside}>
          <p>{template.does}</p>
          <p className={classes.facts}>
            <Channels channels={template.channels} />
            <span className="num">
              <Plural value={template.steps} one="# step" other="# steps" />
            </span>
          </p>
          <Messages graph={graph} creatives={creatives} />
        </div>
      </div>
      <footer className={classes.foot}>
        {template.own && can("funnels.write") && (
          <Button
            onClick={() =>
              confirm({
                title: t`Delete the template “${template.name}”?`,
                text: t`Funnels that were made of it stay as they are. This cannot be taken back.`,
                action: t`Delete the template`,
                run: onDelete,
              })
            }
          >
            {t`Delete the template`}
          </Button>
        )}
        <span className="meta">{t`It opens as a draft: nobody gets anything before you publish it.`}</span>
        <Button onClick={onClose}>{t`Back to the templates`}</Button>
        <Button variant="filled" data-autofocus loading={busy} disabled={!can("funnels.write")} onClick={onUse}>
          {t`Use this template`}
        </Button>
      </footer>
    </Modal>
  );
}

/** One message at a time, rendered by the server exactly as it would leave. */
function Messages({ graph, creatives }: { graph: Graph; creatives: Record<string, Creative> }) {
  const { t } = useLingui();
  const sending = graph.nodes.filter((step) => typeof step.config.creative === "string");
  const [chosen, setChosen] = useState(sending[0]?.id ?? "");
  const step = sending.find(({ id }) => id === chosen);
  const creative = step && creatives[String(step.config.creative).replace(/^creative:/, "")];
  const preview = useQuery({
    queryKey: ["templates", "preview", step?.id, creative],
    queryFn: ({ signal }) => api.preview({ creative, node: chosen, graph }, signal),
    enabled: creative !== undefined,
    retry: false,
  });
  if (!creative) return null;
  return (
    <section className={classes.message} aria-label={t`Messages`}>
      <Select
        aria-label={t`Message`}
        allowDeselect={false}
        data={sending.map(({ id, name }) => ({ value: id, label: name || id }))}
        value={chosen}
        onChange={(value) => setChosen(value ?? chosen)}
      />
      <div className={classes.paper}>
        {!preview.data ? (
          <p className="meta">
            {preview.error
              ? (isProblem(preview.error) && preview.error.detail) ||
                t`The preview could not be made. Try again in a moment.`
              : t`Rendering…`}
          </p>
        ) : creative.channel === "email" ? (
          <>
            <b data-testid="template-subject">{preview.data.subject}</b>
            <Frame html={preview.data.html} width={600} tall={false} />
          </>
        ) : (
          <Framed shown={preview.data} />
        )}
      </div>
    </section>
  );
}
