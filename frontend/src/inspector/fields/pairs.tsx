import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import c from "../inspector.module.css";
import type { WidgetProps } from "./types";

type Pair = Record<string, string>;

/** Names with what belongs to each: headers with their values, variables with their place in an answer. */
export function PairsWidget({ spec, value, onChange }: WidgetProps<Pair[]>) {
  const { t } = useLingui();
  const pairs = value ?? [];
  const other = spec.of ?? "value";
  const path = other === "path";
  const put = (i: number, patch: Pair) =>
    onChange(
      pairs.map((p, j) => (i === j ? { ...p, ...patch } : p)),
      true,
    );
  const keep = (rest: Pair[]) => onChange(rest.length > 0 ? rest : undefined);
  return (
    <div className={c.group}>
      {pairs.map((pair, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has no other identity, and names repeat while they are typed
        <div key={i} className={c.row} style={{ flexWrap: "nowrap" }}>
          <TextInput
            aria-label={path ? t`Variable ${i + 1}` : t`Name ${i + 1}`}
            placeholder={path ? "order_id" : "X-Order"}
            value={pair.name ?? ""}
            onChange={(e) => put(i, { name: e.currentTarget.value })}
          />
          <TextInput
            aria-label={path ? t`Place in the answer ${i + 1}` : t`Value ${i + 1}`}
            placeholder={path ? "data.id" : ""}
            value={pair[other] ?? ""}
            onChange={(e) => put(i, { [other]: e.currentTarget.value })}
          />
          <ActionIcon
            size="sm"
            aria-label={t`Remove entry ${i + 1}`}
            onClick={() => keep(pairs.filter((_, j) => j !== i))}
          >
            <IconX size={14} stroke={1.75} />
          </ActionIcon>
        </div>
      ))}
      <div className={c.row}>
        <Button
          size="sm"
          leftSection={<IconPlus size={14} stroke={1.75} />}
          onClick={() => onChange([...pairs, { name: "", [other]: "" }])}
        >
          <Trans>Add an entry</Trans>
        </Button>
      </div>
    </div>
  );
}
