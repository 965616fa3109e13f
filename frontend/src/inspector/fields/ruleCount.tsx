import { plural } from "@lingui/core/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { numbersQuery } from "@/api/segments";
import type { Rule } from "@/canvas/types";
import { unfinished } from "@/pages/segments/unfinished";
import { useFormat } from "@/ui/format";
import c from "../inspector.module.css";

/** How many people a condition is true of now. Silent while it is being written, or where it is about the run and not the person. */
export function RuleCount({ rule }: { rule: Rule | undefined }) {
  const format = useFormat();
  const [asked] = useDebouncedValue(rule, 350);
  const whole = asked && !unfinished(asked) && ofPeople(asked) ? asked : undefined;
  const { data, error } = useQuery({ ...numbersQuery(whole), placeholderData: keepPreviousData, retry: false });
  if (!whole || error || !data) return null;
  const email = data.channels.find(({ channel }) => channel === "email");
  const reachable = format.number(email?.reachable ?? 0);
  return (
    <p className={c.count} aria-live="polite" data-testid="rule-count">
      {plural(data.match, {
        one: `# person matches now, ${reachable} of them reachable by e-mail`,
        other: `# people match now, ${reachable} of them reachable by e-mail`,
      })}
    </p>
  );
}

/** What asks of the event that started a run, or of a message of this run, is true of nobody outside one. */
function ofPeople(rule: Rule): boolean {
  if ("all" in rule) return rule.all.every(ofPeople);
  if ("any" in rule) return rule.any.every(ofPeople);
  if ("not" in rule) return ofPeople(rule.not);
  if ("message" in rule) return false;
  return !("field" in rule) || !rule.field.startsWith("event.");
}
