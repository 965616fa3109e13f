import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Checkbox, NumberInput, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Arm } from "@/canvas/types";
import c from "../inspector.module.css";
import type { WidgetProps } from "./types";

const letters = "abcdefghijklmnopqrstuvwxyz";

function evenly(arms: Arm[]): Arm[] {
  const share = Math.floor(100 / arms.length);
  return arms.map((a, i) => ({ ...a, weight: i === 0 ? 100 - share * (arms.length - 1) : share }));
}

/** The ways of a random split with their shares. Their order here is their order on the canvas. */
export function ArmsWidget({ value, onChange }: WidgetProps<Arm[]>) {
  const { t } = useLingui();
  const arms = value ?? [];
  const sum = arms.reduce((n, a) => n + (Number(a.weight) || 0), 0);
  const put = (i: number, patch: Partial<Arm>, typing: boolean) =>
    onChange(
      arms.map((a, j) => (i === j ? { ...a, ...patch } : a)),
      typing,
    );
  const holdOut = (id: string, held: boolean) =>
    onChange(arms.map(({ hold_out: _, ...a }) => (held && a.id === id ? { ...a, hold_out: true } : a)));
  const add = () => {
    const id = [...letters].find((l) => !arms.some((a) => a.id === l)) ?? `w${arms.length}`;
    onChange(evenly([...arms, { id, label: id.toUpperCase(), weight: 0 }]));
  };
  return (
    <div className={c.group}>
      {arms.map((arm, i) => (
        <div key={arm.id} className={c.weights}>
          <TextInput
            aria-label={t`Name of way ${i + 1}`}
            value={arm.label}
            onChange={(e) => put(i, { label: e.currentTarget.value }, true)}
          />
          <NumberInput
            aria-label={t`Share of ${arm.label}`}
            suffix=" %"
            min={0}
            max={100}
            value={arm.weight}
            onChange={(v) => put(i, { weight: Number(v) || 0 }, true)}
          />
          <ActionIcon
            size="sm"
            aria-label={t`Remove the way ${arm.label}`}
            disabled={arms.length <= 2}
            onClick={() => onChange(evenly(arms.filter((_, j) => j !== i)))}
          >
            <IconX size={14} stroke={1.75} />
          </ActionIcon>
        </div>
      ))}
      {arms.map((arm) => (
        <Checkbox
          key={arm.id}
          size="sm"
          label={t`${arm.label}: hold-out, its people get nothing`}
          checked={arm.hold_out ?? false}
          onChange={(e) => holdOut(arm.id, e.currentTarget.checked)}
        />
      ))}
      <div className={c.row}>
        <Button size="sm" leftSection={<IconPlus size={14} stroke={1.75} />} onClick={add} disabled={arms.length >= 10}>
          <Trans>Add a way</Trans>
        </Button>
        {sum !== 100 ? (
          <>
            <span className={c.sum}>
              <Trans>{sum} % of 100 %</Trans>
            </span>
            <Button size="sm" variant="subtle" onClick={() => onChange(evenly(arms))}>
              <Trans>Share evenly</Trans>
            </Button>
          </>
        ) : null}
      </div>
    </div>
  );
}
