import { Trans, useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useState } from "react";
import { fieldName, humanise, messageDid, operatorLabel } from "@/canvas/sentences";
import c from "../inspector.module.css";
import { ReferenceSelect, slugify } from "./reference";
import { RuleEvent } from "./ruleEvent";
import type { Leaf } from "./ruleModel";
import { leafFor, subjectOf, useFieldType, useSubjects } from "./ruleSubjects";
import { RuleValue } from "./ruleValue";
import { useRuleWorld } from "./ruleWorld";

interface LeafProps {
  step: string;
  leaf: Leaf;
  not: boolean;
  event: string | undefined;
  onChange: (leaf: Leaf, not: boolean, typing?: boolean) => void;
}

/** One condition, read from left to right as a sentence. */
export function RuleLeaf({ step, leaf, not, event, onChange }: LeafProps) {
  const messages = useRuleWorld().funnel?.messages ?? [];
  const subject = subjectOf(leaf);
  return (
    <>
      <SubjectSelect
        value={subject}
        event={event}
        onChange={(s) =>
          onChange(
            leafFor(
              s,
              messages.map((m) => m.value),
            ),
            false,
          )
        }
      />
      <LeafRest step={step} leaf={leaf} not={not} event={event} onChange={onChange} />
    </>
  );
}

function SubjectSelect({
  value,
  event,
  onChange,
}: {
  value: string;
  event: string | undefined;
  onChange: (s: string) => void;
}) {
  const { t } = useLingui();
  const [search, setSearch] = useState("");
  const groups = useSubjects(event);
  const { funnel } = useRuleWorld();
  const known = groups.some((g) => g.items.some((i) => i.value === value));
  const path = value.replace(/^field:/, "");
  const data = [...groups];
  if (value && !known)
    data.unshift({
      group: t`Used here`,
      items: [{ value, label: event === undefined ? fieldName(path) : humanise(path) }],
    });
  const typed = slugify(search).replaceAll("-", "_");
  const offers = typed
    ? event !== undefined
      ? [{ value: `field:${typed}`, label: t`Property “${typed}”` }]
      : funnel
        ? [{ value: `field:event.${typed}`, label: t`Property “${typed}” of the event` }]
        : []
    : [];
  const taken = new Set(data.flatMap((g) => g.items.map((i) => i.value)));
  const fresh = offers.filter((o) => !taken.has(o.value));
  if (fresh.length > 0) data.push({ group: t`Something else`, items: fresh });
  return (
    <Select
      aria-label={t`What the condition is about`}
      placeholder={t`Choose what to look at`}
      searchable
      data={data}
      value={value || null}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(v) => v && onChange(v)}
      className={c.wide}
      filter={({ options, search: q }) =>
        options.flatMap((g) =>
          "group" in g
            ? [
                {
                  ...g,
                  items: g.items.filter(
                    (i) => fresh.some((f) => f.value === i.value) || i.label.toLowerCase().includes(q.toLowerCase()),
                  ),
                },
              ]
            : [],
        )
      }
    />
  );
}

function LeafRest({ step, leaf, not, event, onChange }: LeafProps) {
  const { t } = useLingui();
  const typeOf = useFieldType();
  const messages = useRuleWorld().funnel?.messages ?? [];
  if ("field" in leaf) {
    if (!leaf.field) return null;
    const types = event === undefined ? typeOf(leaf.field) : ["text", "number", "boolean", "date"];
    return <FieldRest leaf={leaf} types={types} onChange={(next, typing) => onChange(next, not, typing)} />;
  }
  if ("event" in leaf)
    return (
      <RuleEvent
        step={step}
        value={leaf.event}
        not={not}
        onChange={(e, n, typing) => onChange({ event: e }, n, typing)}
      />
    );
  if ("tag" in leaf) return <Belongs of="tag" value={leaf.tag} not={not} onChange={onChange} />;
  if ("list" in leaf) return <Belongs of="list" value={leaf.list} not={not} onChange={onChange} />;
  if ("segment" in leaf) return <Belongs of="segment" value={leaf.segment} not={not} onChange={onChange} />;
  if ("consent" in leaf)
    return (
      <Select
        aria-label={t`Consent`}
        data={[
          { value: "granted", label: t`to e-mail is given` },
          { value: "denied", label: t`to e-mail is refused` },
          { value: "unknown", label: t`to e-mail was never asked` },
        ]}
        value={leaf.consent.state}
        onChange={(v) => onChange({ consent: { ...leaf.consent, state: v ?? "granted" } }, not)}
      />
    );
  if ("message" in leaf)
    return (
      <>
        <Polarity yes={t`they`} no={t`they never`} not={not} onChange={(n) => onChange(leaf, n)} />
        <Select
          aria-label={t`What they did with it`}
          data={["opened", "clicked", "replied", "sent", "delivered", "bounced"].map((d) => ({
            value: d,
            label: messageDid(d),
          }))}
          value={leaf.message.did}
          onChange={(v) => onChange({ message: { ...leaf.message, did: v ?? "opened" } }, not)}
        />
        <Select
          aria-label={t`Which message`}
          placeholder={t`Which message?`}
          data={messages}
          value={leaf.message.step || null}
          onChange={(v) => onChange({ message: { ...leaf.message, step: v ?? "" } }, not)}
        />
      </>
    );
  return (
    <span>
      <Trans>This condition is kept as it is.</Trans>
    </span>
  );
}

interface BelongsProps {
  of: "tag" | "list" | "segment";
  value: string;
  not: boolean;
  onChange: (leaf: Leaf, not: boolean) => void;
}

/** "Tag [is on the person] [VIP]", and the same of lists and segments. */
function Belongs({ of, value, not, onChange }: BelongsProps) {
  const { t } = useLingui();
  const leaf = (to: string) => ({ [of]: to }) as unknown as Leaf;
  const words = {
    tag: { name: t`Tag`, yes: t`is on the person`, no: t`is not on the person` },
    list: { name: t`List`, yes: t`has the person on it`, no: t`does not have the person on it` },
    segment: { name: t`Segment`, yes: t`has the person in it`, no: t`does not have the person in it` },
  }[of];
  return (
    <>
      <Polarity yes={words.yes} no={words.no} not={not} onChange={(n) => onChange(leaf(value), n)} />
      <ReferenceSelect
        of={of}
        value={value || undefined}
        placeholder={t`Which?`}
        aria-label={words.name}
        onChange={(v) => onChange(leaf(v ?? ""), not)}
      />
    </>
  );
}

export function Polarity({
  yes,
  no,
  not,
  onChange,
}: {
  yes: string;
  no: string;
  not: boolean;
  onChange: (not: boolean) => void;
}) {
  const { t } = useLingui();
  return (
    <Select
      aria-label={t`Yes or no`}
      data={[
        { value: "yes", label: yes },
        { value: "no", label: no },
      ]}
      value={not ? "no" : "yes"}
      onChange={(v) => onChange(v === "no")}
    />
  );
}

type FieldLeaf = Extract<Leaf, { field: string }>;

function FieldRest({
  leaf,
  types,
  onChange,
}: {
  leaf: FieldLeaf;
  types: string[];
  onChange: (leaf: FieldLeaf, typing?: boolean) => void;
}) {
  const { t } = useLingui();
  const { catalogue } = useRuleWorld();
  const ops = catalogue.data.operators.filter((o) => o.types.some((x) => types.includes(x)));
  const op = ops.find((o) => o.op === leaf.op) ?? ops[0];
  const choose = (name: string | null) => {
    const next = ops.find((o) => o.op === name);
    if (!next) return;
    const { value, ...rest } = leaf;
    onChange({
      ...rest,
      op: next.op,
      ...(next.value === op?.value && value !== undefined
        ? { value }
        : next.value === "none"
          ? {}
          : { value: blank(next.value) }),
    });
  };
  return (
    <>
      <Select
        aria-label={t`Comparison`}
        data={ops.map((o) => ({ value: o.op, label: operatorLabel(catalogue, o.op) }))}
        value={leaf.op}
        onChange={choose}
      />
      <RuleValue
        kind={op?.value ?? "one"}
        types={op ? types.filter((x) => op.types.includes(x)) : types}
        value={leaf.value}
        onChange={(value) => onChange({ ...leaf, value }, true)}
      />
    </>
  );
}

function blank(kind: string): unknown {
  if (kind === "list") return [];
  if (kind === "range") return ["", ""];
  if (kind === "duration") return { amount: 30, unit: "days" };
  return "";
}
