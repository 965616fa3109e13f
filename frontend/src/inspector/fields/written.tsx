import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, MultiSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import c from "../inspector.module.css";
import { useChoices } from "./reference";
import type { WidgetProps } from "./types";

interface Written {
  name: string;
  instruction: string;
  max?: number;
  fallback: string;
  links?: boolean;
}

/** Texts a model writes: what each is for, how long it may be, and what stands there when none comes. */
export function VariablesWidget({ value, onChange }: WidgetProps<Written[]>) {
  const { t } = useLingui();
  const list = value ?? [];
  const put = (i: number, patch: Partial<Written>) =>
    onChange(
      list.map((v, j) => (i === j ? { ...v, ...patch } : v)),
      true,
    );
  return (
    <div className={c.group}>
      {list.map((v, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text has no other identity, and its name changes while it is typed
        <div key={i} className={c.group}>
          <div className={c.row} style={{ flexWrap: "nowrap" }}>
            <TextInput
              aria-label={t`Name of text ${i + 1}`}
              placeholder="opening"
              value={v.name ?? ""}
              onChange={(e) => put(i, { name: e.currentTarget.value })}
            />
            <NumberInput
              aria-label={t`At most so many characters, text ${i + 1}`}
              min={1}
              max={1000}
              w={96}
              value={v.max ?? 200}
              onChange={(max) => put(i, { max: Number(max) || 200 })}
            />
            <ActionIcon
              size="sm"
              aria-label={t`Remove text ${i + 1}`}
              onClick={() => {
                const rest = list.filter((_, j) => j !== i);
                onChange(rest.length > 0 ? rest : undefined);
              }}
            >
              <IconX size={14} stroke={1.75} />
            </ActionIcon>
          </div>
          <Textarea
            aria-label={t`What to write, text ${i + 1}`}
            placeholder={t`One warm line that greets the person`}
            autosize
            minRows={2}
            value={v.instruction ?? ""}
            onChange={(e) => put(i, { instruction: e.currentTarget.value })}
          />
          <TextInput
            aria-label={t`Where none comes, text ${i + 1}`}
            placeholder={t`What stands there when none comes`}
            value={v.fallback ?? ""}
            onChange={(e) => put(i, { fallback: e.currentTarget.value })}
          />
        </div>
      ))}
      <div className={c.row}>
        <Button
          size="sm"
          leftSection={<IconPlus size={14} stroke={1.75} />}
          onClick={() => onChange([...list, { name: "", instruction: "", max: 200, fallback: "" }])}
        >
          <Trans>Add a text</Trans>
        </Button>
      </div>
    </div>
  );
}

/** What of a person may be told to a model. */
export function AttributesWidget({ value, onChange, ids, label }: WidgetProps<string[]>) {
  const choices = useChoices("field");
  return (
    <MultiSelect
      {...ids}
      aria-label={label}
      searchable
      data={choices}
      value={value ?? []}
      onChange={(v) => onChange(v.length > 0 ? v : undefined)}
    />
  );
}
