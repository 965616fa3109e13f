import { Plural, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { Template } from "@/api/templates";
import { Drawing } from "@/canvas/Drawing";
import type { CatalogueData, Creative, Graph } from "@/canvas/types";
import { channelIcons, useChannelName } from "@/ui/channels";
import classes from "./gallery.module.css";

interface TemplateCardProps {
  template: Template;
  data: CatalogueData;
  onOpen: () => void;
}

/** A template as a picture of its own graph, what it does in one sentence, its channels and its length. */
export function TemplateCard({ template, data, onOpen }: TemplateCardProps) {
  const { t } = useLingui();
  const id = useId();
  return (
    <button
      type="button"
      className={classes.card}
      data-testid={`template-${template.slug}`}
      aria-labelledby={id}
      aria-describedby={`${id}-does`}
      onClick={onOpen}
    >
      <span className={classes.picture}>
        <Drawing
          graph={template.graph as unknown as Graph}
          creatives={template.creatives as unknown as Record<string, Creative>}
          data={data}
          label={template.name}
        />
      </span>
      <span className={classes.words}>
        <b id={id}>{template.name}</b>
        <span className={classes.does} id={`${id}-does`}>
          {template.does}
        </span>
        <span className={classes.facts}>
          <Channels channels={template.channels} />
          <span className="num">
            <Plural value={template.steps} one="# step" other="# steps" />
          </span>
          {template.own && <span className={classes.own}>{t`Made here`}</span>}
          <span className={classes.look}>{t`Look inside`}</span>
        </span>
      </span>
    </button>
  );
}

export function Channels({ channels }: { channels: string[] }) {
  const name = useChannelName();
  return channels.map((channel) => {
    const Sign = channelIcons[channel];
    return (
      <span key={channel} className={classes.channel}>
        {Sign && <Sign size={14} stroke={1.75} aria-hidden />}
        {name(channel)}
      </span>
    );
  });
}
