import { t } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import { fieldsQuery, listsQuery, tagsQuery } from "@/api/people";
import { segmentsQuery } from "@/api/segments";
import { sendersQuery } from "@/api/settings";
import { call } from "@/canvas/api";
import { fieldName, humanise } from "@/canvas/sentences";
import type { WidgetProps } from "./types";

export interface Choice {
  value: string;
  label: string;
}

const collections: Record<string, string> = { tag: "/tags", list: "/lists", topic: "/topics" };
const builtInFields = ["first_name", "last_name", "phone", "language", "zone"];

const create = "\n";

/** Letters, digits and dashes: what the server takes as a slug. */
export function slugify(name: string): string {
  const ascii = name.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll(/[łŁ]/g, "l").toLowerCase();
  const latin = [...ascii].map((ch) => cyrillic[ch] ?? ch).join("");
  return latin
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64);
}

const cyrillic: Record<string, string> = Object.fromEntries(
  "а-a б-b в-v г-g д-d е-e ё-e ж-zh з-z и-i й-y к-k л-l м-m н-n о-o п-p р-r с-s т-t у-u ф-f х-h ц-c ч-ch ш-sh щ-sch ъ- ы-y ь- э-e ю-yu я-ya"
    .split(" ")
    .map((pair) => pair.split("-") as [string, string]),
);

/** What a reference of this sort can point at. */
export function useChoices(of: string, among: string[] = []): Choice[] {
  const tags = useQuery({ ...tagsQuery, enabled: of === "tag" });
  const lists = useQuery({ ...listsQuery, enabled: of === "list" });
  const fields = useQuery({ ...fieldsQuery, enabled: of === "field" });
  const senders = useQuery({ ...sendersQuery, enabled: of === "sender" });
  const funnels = useQuery({ ...funnelChoicesQuery, enabled: of === "funnel" });
  const segments = useQuery({ ...segmentsQuery, enabled: of === "segment" });
  const topics = useQuery({
    queryKey: ["topics"],
    queryFn: () => call<{ items: { slug: string; name: string }[] }>("GET", "/topics"),
    enabled: of === "topic",
  });
  const connections = useQuery({
    queryKey: ["connections"],
    queryFn: () => call<{ items: { slug: string; name: string; kind: string }[] }>("GET", "/connections"),
    enabled: of === "connection",
  });
  const plain = of === "form" || of === "resource";
  const things = useQuery({
    queryKey: [`${of}s`],
    queryFn: () => call<{ items: { slug: string; name: string }[] }>("GET", `/${of}s`),
    enabled: plain,
  });
  const named = (items: { slug: string; name: string }[] | undefined) =>
    (items ?? []).map((i) => ({ value: `${of}:${i.slug}`, label: i.name || humanise(i.slug) }));
  switch (of) {
    case "tag":
      return named(tags.data);
    case "list":
      return named(lists.data);
    case "segment":
      return named(segments.data);
    case "topic":
      return named(topics.data?.items);
    case "funnel":
      return named(funnels.data);
    case "sender":
      return (senders.data ?? []).map((s) => ({
        value: `sender:${s.slug}`,
        label: s.name ? `${s.name} · ${s.email}` : s.email,
      }));
    case "form":
    case "resource":
      return named(things.data?.items);
    case "connection":
      return named(connections.data?.items.filter((i) => among.length === 0 || among.includes(i.kind)));
    case "field": {
      const own = (fields.data ?? []).map((f) => ({ value: `field:${f.key}`, label: f.label || fieldName(f.key) }));
      const keys = new Set(own.map((f) => f.value));
      const known = builtInFields.map((k) => ({ value: `field:${k}`, label: fieldName(k) }));
      return [...known.filter((k) => !keys.has(k.value)), ...own];
    }
    default:
      return [];
  }
}

/** A reference with search. Tags, lists and topics that do not exist yet are made on the spot. */
export function ReferenceSelect({
  of,
  among,
  value,
  onChange,
  ...rest
}: {
  of: string;
  /** The kinds that fit, of what has kinds. */
  among?: string[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  clearable?: boolean;
  id?: string;
  placeholder?: string;
  error?: boolean;
  "aria-label"?: string;
  "aria-describedby"?: string;
}) {
  const client = useQueryClient();
  const [search, setSearch] = useState("");
  const known = useChoices(of, among);
  const path = collections[of];
  const data = [...known];
  if (value && !known.some((k) => k.value === value)) data.push({ value, label: humanise(value) });
  const slug = slugify(search);
  const offer = path && slug !== "" && !data.some((d) => d.value === `${of}:${slug}` || d.label === search);
  if (offer) data.push({ value: create, label: t`Create “${search}”` });
  const choose = async (chosen: string | null) => {
    if (chosen !== create) return onChange(chosen ?? undefined);
    const name = search.trim();
    onChange(`${of}:${slug}`);
    await call("POST", path as string, { name, slug }).catch(() => undefined);
    await client.invalidateQueries({ queryKey: [`${of}s`] });
  };
  return (
    <Select
      {...rest}
      searchable
      selectFirstOptionOnChange
      data={data}
      value={value ?? null}
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage={t`Nothing found`}
      filter={({ options, search: typed }) =>
        options.filter(
          (o) => "value" in o && (o.value === create || o.label.toLowerCase().includes(typed.toLowerCase())),
        )
      }
      onChange={(v) => void choose(v)}
    />
  );
}

export function ReferenceWidget({ spec, value, onChange, ids }: WidgetProps<string>) {
  const { t } = useLingui();
  return (
    <ReferenceSelect
      {...ids}
      error={ids["aria-invalid"] ?? false}
      of={spec.of ?? ""}
      among={spec.options?.map((o) => o.value) ?? []}
      value={value}
      clearable={!spec.required}
      placeholder={
        spec.of === "connection" ? t`Choose a connection` : spec.required ? t`Choose or type a new one` : t`Default`
      }
      onChange={(v) => onChange(v)}
    />
  );
}
