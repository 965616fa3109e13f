import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { fieldsQuery } from "@/api/people";
import { fieldName, humanise } from "@/canvas/sentences";
import type { EventRule } from "@/canvas/types";
import { useEventNames } from "./event";
import type { Leaf } from "./ruleModel";
import { useRuleWorld } from "./ruleWorld";

const builtIn: Record<string, string> = {
  first_name: "text",
  last_name: "text",
  email: "text",
  phone: "text",
  language: "text",
  created_at: "date",
};

export interface Subject {
  value: string;
  label: string;
}

/** What a condition can be about, grouped for one list; the value names it ("field:city", "tag"). */
export function useSubjects(event: string | undefined): { group: string; items: Subject[] }[] {
  const { t } = useLingui();
  const own = useQuery(fieldsQuery);
  const { properties } = useEventNames();
  const { funnel } = useRuleWorld();
  if (event !== undefined)
    return [
      { group: t`Of the event`, items: properties(event).map((p) => ({ value: `field:${p}`, label: humanise(p) })) },
    ];
  const started = [...new Set((funnel?.startedBy ?? []).flatMap((name) => properties(name)))];
  const person = [...new Set([...Object.keys(builtIn), ...(own.data ?? []).map((f) => f.key)])];
  const labels = new Map((own.data ?? []).map((f) => [f.key, f.label || fieldName(f.key)]));
  return [
    { group: t`The person`, items: person.map((k) => ({ value: `field:${k}`, label: labels.get(k) ?? fieldName(k) })) },
    {
      group: t`What they did`,
      items: [
        { value: "event", label: t`Did something` },
        ...(funnel ? [{ value: "message", label: t`Opened, clicked or got a message` }] : []),
      ],
    },
    {
      group: t`Tags, lists, segments, consent`,
      items: [
        { value: "tag", label: t`Tag` },
        { value: "list", label: t`List` },
        { value: "segment", label: t`Segment` },
        { value: "consent", label: t`Consent` },
      ],
    },
    {
      group: t`The event that started this`,
      items: started.map((p) => ({ value: `field:event.${p}`, label: fieldName(`event.${p}`) })),
    },
  ].filter((g) => g.items.length > 0);
}

/** The type of a field decides its operators; an event's property may be anything. */
export function useFieldType(): (path: string) => string[] {
  const own = useQuery(fieldsQuery);
  return (path) => {
    const known = own.data?.find((f) => f.key === path)?.type ?? builtIn[path];
    return known ? [known] : ["text", "number", "boolean", "date"];
  };
}

export function subjectOf(leaf: Leaf): string {
  if ("field" in leaf) return leaf.field ? `field:${leaf.field}` : "";
  if ("event" in leaf) return "event";
  if ("message" in leaf) return "message";
  if ("consent" in leaf) return "consent";
  return Object.keys(leaf)[0] ?? "";
}

/** A condition about the subject, as complete as it can be from the start. */
export function leafFor(subject: string, messages: string[]): Leaf {
  if (subject.startsWith("field:")) return { field: subject.slice("field:".length), op: "is", value: "" };
  switch (subject) {
    case "event":
      return { event: { name: "", agg: "count", op: "gte", value: 1 } satisfies EventRule };
    case "message":
      return { message: { step: messages[0] ?? "", did: "opened" } };
    case "consent":
      return { consent: { channel: "email", state: "granted" } };
    case "list":
      return { list: "" };
    case "segment":
      return { segment: "" };
    default:
      return { tag: "" };
  }
}
