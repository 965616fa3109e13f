import { useLingui } from "@lingui/react/macro";
import { Button, NumberInput, SegmentedControl } from "@mantine/core";
import { IconArrowsSplit2, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { CampaignDocument } from "@/api/campaigns";
import type { CatalogueData } from "@/canvas/types";
import { ReferenceSelect } from "@/inspector/fields/reference";
import classes from "./campaigns.module.css";
import { ProblemLines } from "./ProblemLines";
import { freeVariant, type Problem, partOf } from "./parts";
import { TestPanel } from "./TestPanel";
import type { Draft } from "./useDraft";
import { useChannelName } from "./useWords";
import { VariantEditor } from "./VariantEditor";

type Channel = CampaignDocument["channel"];

/** What it says: one message, or variants of it that compete. */
export function MessagePart({ draft, problems, data }: { draft: Draft; problems: Problem[]; data: CatalogueData }) {
  const { t } = useLingui();
  const channelName = useChannelName();
  const { document } = draft;
  const [picked, setPicked] = useState(document.variants[0]?.id ?? "a");
  const variant = document.variants.find((one) => one.id === picked) ?? document.variants[0];
  if (!variant) return null;
  const several = document.variants.length > 1;
  const letter = variant.id.toUpperCase();

  const add = () => {
    const id = freeVariant(document);
    draft.change((now) => ({ ...now, variants: [...now.variants, { ...structuredClone(variant), id }] }));
    setPicked(id);
  };
  const remove = () => {
    draft.change((now) => {
      const { experiment: _, ...rest } = now;
      const variants = now.variants.filter((one) => one.id !== variant.id);
      return variants.length > 1 ? { ...now, variants } : { ...rest, variants };
    });
    setPicked(document.variants.find((one) => one.id !== variant.id)?.id ?? "a");
  };
  const rechannel = (channel: Channel) =>
    draft.change((now) => {
      const { sender: _, ...rest } = now;
      return {
        ...rest,
        channel,
        variants: now.variants.map((one) => ({ ...one, creative: { ...one.creative, channel } })),
      };
    });

  return (
    <section className={classes.card} aria-label={t`Message`}>
      <div className={classes.cardHead}>
        <SegmentedControl
          aria-label={t`Channel`}
          value={document.channel}
          onChange={(value) => rechannel(value as Channel)}
          data={(["email", "sms", "push"] as const).map((value) => ({ value, label: channelName(value) }))}
        />
        {several && (
          <SegmentedControl
            aria-label={t`Variant`}
            value={variant.id}
            onChange={setPicked}
            data={document.variants.map((one) => ({ value: one.id, label: t`Variant ${one.id.toUpperCase()}` }))}
          />
        )}
        <span className={classes.gap} />
        {document.variants.length < 4 && (
          <Button leftSection={<IconArrowsSplit2 size={15} stroke={1.75} aria-hidden />} onClick={add}>
            {several ? t`Add a variant` : t`Test another variant`}
          </Button>
        )}
      </div>
      {several && (
        <div className={classes.variantLine}>
          <NumberInput
            label={t`Share of variant ${letter}`}
            w={150}
            min={1}
            max={100}
            value={variant.weight}
            onChange={(value) =>
              draft.change((now) => ({
                ...now,
                variants: now.variants.map((one) =>
                  one.id === variant.id ? { ...one, weight: Number(value) || 0 } : one,
                ),
              }))
            }
          />
          <Button variant="subtle" leftSection={<IconTrash size={15} stroke={1.75} aria-hidden />} onClick={remove}>
            {t`Remove variant ${letter}`}
          </Button>
        </div>
      )}
      <VariantEditor
        key={`${variant.id}-${document.channel}`}
        draft={draft}
        variant={variant.id}
        problems={problems}
        data={data}
      />
      <div className={classes.topic}>
        <span className={classes.label} id="campaign-topic">
          {t`Topic`}
        </span>
        <ReferenceSelect
          of="topic"
          aria-label={t`Topic`}
          placeholder={t`None`}
          clearable
          value={document.topic || undefined}
          onChange={(topic) => draft.change((now) => ({ ...now, topic: topic ?? "" }))}
        />
        <p className="meta">{t`People who left this topic do not get the message.`}</p>
      </div>
      <TestPanel draft={draft} />
      <ProblemLines
        problems={problems.filter(
          (problem) => partOf(problem) === "message" && (!problem.node || !problem.field?.startsWith("creative.")),
        )}
      />
    </section>
  );
}
