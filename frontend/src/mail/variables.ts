import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { eventNamesQuery } from "@/api/events";
import { fieldsQuery } from "@/api/people";
import { plain } from "@/canvas/search";
import { fieldName, humanise } from "@/canvas/sentences";
import { triggersOf } from "@/canvas/sizes";
import { useEditor } from "@/canvas/store";
import type { Kind, Step } from "@/canvas/types";

export interface Variable {
  expr: string;
  label: string;
  group: string;
}

const person = ["first_name", "last_name", "email", "phone"];

/** What can stand in a message: the person, the event that started the run, the workspace. */
export function useVariables(): Variable[] {
  const fields = useQuery(fieldsQuery);
  const events = useQuery(eventNamesQuery);
  const entry = useEditor((s) => s.shown.graph.nodes.find((n) => n.kind === "entry"));
  const names = (entry ? triggersOf(entry) : []).map((x) => String(x.name ?? ""));
  const properties = new Set((events.data ?? []).filter((e) => names.includes(e.name)).flatMap((e) => e.properties));
  const steps = useEditor((s) => s.shown.graph.nodes);
  const catalogue = useEditor((s) => s.catalogue);
  const given = new Set(steps.filter((n) => !n.off).flatMap((n) => givenBy(n, catalogue.kind(n.kind))));
  const own = (fields.data ?? []).filter((f) => !person.includes(f.key));
  return [
    ...person.map((key) => ({ expr: key, label: fieldName(key), group: t`The person` })),
    ...own.map((f) => ({ expr: f.key, label: f.label || fieldName(f.key), group: t`The person` })),
    ...[...properties].map((p) => ({ expr: `event.${p}`, label: humanise(p), group: t`The event that started this` })),
    ...[...given].map((v) => ({ expr: `vars.${v}`, label: humanise(v), group: t`What steps before brought` })),
    { expr: "workspace.name", label: t`Name of the company`, group: t`The company` },
    { expr: "workspace.address", label: t`Address of the company`, group: t`The company` },
    { expr: "view_url", label: t`View in the browser`, group: t`Links` },
    { expr: "unsubscribe_url", label: t`Unsubscribe`, group: t`Links` },
  ];
}

/** The variables a step sets, as its kind and its config say. */
export function givenBy(step: Step, kind: Kind): string[] {
  return (kind.vars ?? []).flatMap(({ name, each }) => {
    const list = each ? step.config[each] : undefined;
    return name ? [name] : Array.isArray(list) ? list.map((e) => String(e?.name ?? "")).filter(Boolean) : [];
  });
}

export function filterVariables(all: Variable[], query: string): Variable[] {
  const q = plain(query.replaceAll("{", "").trim());
  return all.filter((v) => plain(`${v.label} ${v.expr}`).includes(q)).slice(0, 20);
}

/** The name of a variable for its chip: "event.total | money("PLN")" reads "Total". */
export function variableLabel(expr: string, known: Variable[]): string {
  const exact = known.find((v) => v.expr === expr);
  if (exact) return exact.label;
  const path = (expr.split("|")[0] ?? expr).trim();
  const base = known.find((v) => v.expr === path);
  if (base) return base.label;
  return /^[\w.]+$/.test(path)
    ? /^(event|vars)\./.test(path)
      ? humanise(path.replace(/^\w+\./, ""))
      : fieldName(path)
    : expr;
}
