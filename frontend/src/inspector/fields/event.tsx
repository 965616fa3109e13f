import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Select } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { eventNamesQuery } from "@/api/events";
import { eventName, humanise } from "@/canvas/sentences";
import type { Rule } from "@/canvas/types";
import { slugify } from "./reference";
import { RuleEditor } from "./rule";
import type { WidgetProps } from "./types";

/** Events every workspace has, besides those its application sends. */
export const internalEvents = [
  "contact_created", "contact_updated", "list_joined", "list_left", "tag_added", "tag_removed", "message_sent",
  "message_delivered", "message_opened", "link_clicked", "message_replied", "message_bounced", "message_complained", "unsubscribed",
  "consent_changed", "goal_reached",
]; // biome-ignore format: a list to read at a glance

export function useEventNames(): { names: string[]; properties: (event: string | undefined) => string[] } {
  const { data } = useQuery(eventNamesQuery);
  const items = data ?? [];
  return {
    names: items.filter((i) => !internalEvents.includes(i.name)).map((i) => i.name),
    properties: (event) => items.find((i) => i.name === event)?.properties ?? [],
  };
}

/** Whether what was typed names an event there is not yet; the words a chosen event shows are no new name. */
export function isFresh(search: string, known: readonly { value: string; label: string }[]): boolean {
  const name = slugify(search).replaceAll("-", "_");
  return /^[a-z]/.test(name) && !known.some(({ value, label }) => value === name || label === search);
}

interface EventNameProps {
  value: string | undefined;
  onChange: (name: string | undefined) => void;
  own?: boolean;
  id?: string;
  error?: boolean;
  "aria-label"?: string;
  "aria-describedby"?: string;
}

/** The name of an event: those seen so far, and any other one typed. */
export function EventNameSelect({ value, onChange, own, ...rest }: EventNameProps) {
  const { t } = useLingui();
  const [search, setSearch] = useState("");
  const { names } = useEventNames();
  const typed = slugify(search).replaceAll("-", "_");
  const seen = [...new Set([...names, ...(value && !internalEvents.includes(value) ? [value] : [])])].sort();
  const labelled = (n: string) => ({ value: n, label: own || !internalEvents.includes(n) ? n : eventName(n) });
  const mine = seen.map((n) => ({ value: n, label: humanise(n) === n ? n : `${humanise(n)} · ${n}` }));
  const fresh = isFresh(search, [...mine, ...internalEvents.map(labelled)]);
  const data = [
    {
      group: t`From your application`,
      items: [...mine, ...(fresh ? [{ value: `\n${typed}`, label: t`Use the event “${typed}”` }] : [])],
    },
    ...(own ? [] : [{ group: t`In Lejek`, items: internalEvents.map(labelled) }]),
  ].filter((g) => g.items.length > 0);
  return (
    <Select
      {...rest}
      searchable
      selectFirstOptionOnChange
      data={data}
      value={value ?? null}
      searchValue={search}
      onSearchChange={setSearch}
      placeholder={t`Choose or type an event`}
      nothingFoundMessage={t`Type the name of the event, such as order_placed`}
      onChange={(v) => onChange(v?.replace("\n", "") ?? undefined)}
      filter={({ options, search: q }) => {
        const hit = (o: { value: string; label: string }) =>
          o.value.startsWith("\n") || `${o.value} ${o.label}`.toLowerCase().includes(q.toLowerCase());
        return options.flatMap((g) => ("group" in g ? [{ ...g, items: g.items.filter(hit) }] : []));
      }}
    />
  );
}

export function EventNameWidget({ value, onChange, ids }: WidgetProps<string>) {
  return (
    <EventNameSelect {...ids} error={ids["aria-invalid"] ?? false} value={value} own onChange={(v) => onChange(v)} />
  );
}

export function EventWidget({ step, value, onChange, ids }: WidgetProps<{ name?: string; where?: Rule }>) {
  const set = (patch: { name?: string; where?: Rule | undefined }) => {
    const next = { ...value, ...patch };
    if (!next.where) delete next.where;
    onChange(next.name ? next : undefined);
  };
  return (
    <>
      <EventNameSelect
        {...ids}
        error={ids["aria-invalid"] ?? false}
        value={value?.name}
        onChange={(name) => set({ ...(name ? { name } : {}) })}
      />
      {value?.name && (
        <WhereEditor step={step} event={value.name} value={value.where} onChange={(where) => set({ where })} />
      )}
    </>
  );
}

/** "Only when": a filter on the properties of one event, out of the way until wanted. */
export function WhereEditor({
  step,
  event,
  value,
  onChange,
}: {
  step: string;
  event: string | undefined;
  value: Rule | undefined;
  onChange: (where: Rule | undefined) => void;
}) {
  const [open, setOpen] = useState(value !== undefined);
  if (!open)
    return (
      <Button
        size="sm"
        variant="subtle"
        mt={6}
        leftSection={<IconFilter size={14} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        <Trans>Only when…</Trans>
      </Button>
    );
  return (
    <div style={{ marginTop: 8 }}>
      <RuleEditor step={step} value={value} onChange={(v) => onChange(v)} event={event} />
    </div>
  );
}
