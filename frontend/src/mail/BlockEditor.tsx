import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, NumberInput, SegmentedControl } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconTrash } from "@tabler/icons-react";
import type { Block } from "@/canvas/types";
import { Field } from "@/inspector/Field";
import { MergeField } from "./MergeField";
import m from "./mail.module.css";
import { RichText } from "./RichText";

interface Props {
  step: string;
  block: Block;
  only: boolean;
  first: boolean;
  last: boolean;
  move: (by: -1 | 1) => void;
  remove: () => void;
  change: (patch: Partial<Block>) => void;
}

/** One block of a message: its content, and its place by arrows (Alt and an arrow do the same). */
export function BlockEditor({ step, block, only, first, last, move, remove, change }: Props) {
  const { t } = useLingui();
  const name = useBlockName(block.type);
  const onKeyDown = (e: React.KeyboardEvent) => {
    if (!e.altKey || (e.key !== "ArrowUp" && e.key !== "ArrowDown")) return;
    e.preventDefault();
    if (e.key === "ArrowUp" && !first) move(-1);
    if (e.key === "ArrowDown" && !last) move(1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for what the buttons do
    <div className={m.block} onKeyDown={onKeyDown} data-testid={`block-${block.id}`}>
      {!only && (
        <div className={m.blockTools}>
          <span>{name}</span>
          <ActionIcon size="xs" aria-label={t`Move up: ${name}`} disabled={first} onClick={() => move(-1)}>
            <IconArrowUp size={14} stroke={1.75} />
          </ActionIcon>
          <ActionIcon size="xs" aria-label={t`Move down: ${name}`} disabled={last} onClick={() => move(1)}>
            <IconArrowDown size={14} stroke={1.75} />
          </ActionIcon>
          <ActionIcon size="xs" aria-label={t`Remove: ${name}`} onClick={remove}>
            <IconTrash size={14} stroke={1.75} />
          </ActionIcon>
        </div>
      )}
      <Field step={step} path={`creative.blocks.${block.id}`}>
        {() => <BlockBody block={block} change={change} />}
      </Field>
    </div>
  );
}

function useBlockName(type: Block["type"]): string {
  const { t } = useLingui();
  const names: Record<Block["type"], string> = {
    heading: t`Heading`,
    text: t`Text`,
    button: t`Button`,
    image: t`Picture`,
    divider: t`Line`,
    spacer: t`Space`,
    footer: t`Footer`,
  };
  return names[type];
}

function BlockBody({ block, change }: { block: Block; change: (patch: Partial<Block>) => void }) {
  const { t } = useLingui();
  switch (block.type) {
    case "text":
      return <RichText doc={block.doc} label={t`Text of the message`} onChange={(doc) => change({ doc })} />;
    case "heading":
      return (
        <div className={m.button}>
          <MergeField
            label={t`Heading`}
            value={block.text ?? ""}
            placeholder={t`Heading`}
            onChange={(text) => change({ text })}
          />
          <Align block={block} change={change} />
        </div>
      );
    case "button":
      return (
        <div className={m.button}>
          <MergeField
            label={t`Text on the button`}
            value={block.text ?? ""}
            placeholder={t`Text on the button`}
            onChange={(text) => change({ text })}
          />
          <MergeField
            label={t`Where it leads`}
            value={block.url ?? ""}
            placeholder="https://"
            onChange={(url) => change({ url })}
          />
          <Align block={block} change={change} />
        </div>
      );
    case "image":
      return (
        <div className={m.button}>
          <MergeField
            label={t`Address of the picture`}
            value={block.url ?? ""}
            placeholder="https://…/picture.jpg"
            onChange={(url) => change({ url })}
          />
          <MergeField
            label={t`What it shows, for those who do not see it`}
            value={block.alt ?? ""}
            placeholder={t`What it shows`}
            onChange={(alt) => change({ alt })}
          />
          <MergeField
            label={t`Where a click leads`}
            value={block.href ?? ""}
            placeholder={t`Where a click leads (optional)`}
            onChange={(href) => change({ href })}
          />
        </div>
      );
    case "spacer":
      return (
        <NumberInput
          aria-label={t`Height`}
          suffix=" px"
          min={4}
          max={200}
          value={block.height ?? 24}
          onChange={(v) => change({ height: Number(v) || 24 })}
        />
      );
    case "divider":
      return <div className={m.divider} />;
    default:
      return (
        <p className={m.locked}>
          <Trans>Your address and the unsubscribe link are added below the text.</Trans>
        </p>
      );
  }
}

function Align({ block, change }: { block: Block; change: (patch: Partial<Block>) => void }) {
  const { t } = useLingui();
  return (
    <SegmentedControl
      aria-label={t`Place`}
      value={block.align ?? "left"}
      onChange={(align) => change({ align: align as "left" })}
      data={[
        { value: "left", label: t`Left` },
        { value: "center", label: t`Middle` },
        { value: "right", label: t`Right` },
      ]}
    />
  );
}
