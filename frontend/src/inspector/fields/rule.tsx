import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, SegmentedControl } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useContext, useState } from "react";
import type { Rule } from "@/canvas/types";
import c from "../inspector.module.css";
import { RuleCount } from "./ruleCount";
import { RuleLeaf } from "./ruleLeaf";
import { fromGroup, type Group, maxDepth, type Part, toGroup } from "./ruleModel";
import { FunnelRuleWorld, RuleWorldContext } from "./ruleWorld";
import type { WidgetProps } from "./types";

export function RuleWidget({ step, value, onChange, label }: WidgetProps<Rule>) {
  return <RuleEditor step={step} value={value} onChange={onChange} label={label} />;
}

interface RuleEditorProps {
  step: string;
  value: Rule | undefined;
  onChange: (rule: Rule | undefined, typing?: boolean) => void;
  label?: string;
  /** Inside an event's filter the fields are that event's properties. */
  event?: string | undefined;
}

/** A rule as sentences, of the world around it or else of the funnel. */
export function RuleEditor(props: RuleEditorProps) {
  if (useContext(RuleWorldContext)) return <Sentences {...props} />;
  return (
    <FunnelRuleWorld>
      <Sentences {...props} />
      {props.event === undefined && <RuleCount rule={props.value} />}
    </FunnelRuleWorld>
  );
}

/** Half-written sentences stay here until they say something, then they go into the document. */
function Sentences({ step, value, onChange, label, event }: RuleEditorProps) {
  const { t } = useLingui();
  const [local, setLocal] = useState<{ of: Rule | undefined; group: Group }>(() => ({
    of: value,
    group: toGroup(value),
  }));
  // Undo and other hands change the document: what is here then starts anew from it.
  const group = local.of === value ? local.group : toGroup(value);
  const change = (next: Group, typing?: boolean) => {
    const rule = fromGroup(next);
    setLocal({ of: rule, group: next });
    onChange(rule, typing);
  };
  return (
    <fieldset className={c.group} aria-label={label ?? t`Only when`} style={{ border: 0, margin: 0, padding: 0 }}>
      <GroupEditor step={step} group={group} depth={1} event={event} onChange={change} />
    </fieldset>
  );
}

interface GroupProps {
  step: string;
  group: Group;
  depth: number;
  event: string | undefined;
  onChange: (group: Group, typing?: boolean) => void;
}

function GroupEditor({ step, group, depth, event, onChange }: GroupProps) {
  const { t } = useLingui();
  const put = (i: number, part: Part | undefined, typing?: boolean) => {
    const parts = [...group.parts];
    if (part) parts[i] = part;
    else parts.splice(i, 1);
    onChange({ ...group, parts }, typing);
  };
  const add = (part: Part) => onChange({ ...group, parts: [...group.parts, part] });
  const fresh: Part =
    event === undefined ? { leaf: { field: "", op: "is" }, not: false } : { leaf: { field: "", op: "is" }, not: false };
  return (
    <>
      {group.parts.length > 1 && (
        <div className={c.join}>
          <SegmentedControl
            aria-label={t`How the conditions are joined`}
            value={group.how}
            onChange={(how) => onChange({ ...group, how: how as Group["how"] })}
            data={[
              { value: "all", label: t`All of these` },
              { value: "any", label: t`Any of these` },
            ]}
          />
        </div>
      )}
      {group.parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no identity but its place
        <div key={i}>
          {"group" in part ? (
            <div className={`${c.group} ${c.groupInner}`}>
              <GroupEditor
                step={step}
                group={part.group}
                depth={depth + 1}
                event={event}
                onChange={(g, typing) => put(i, { group: g }, typing)}
              />
              <Button size="sm" variant="subtle" className={c.plain} onClick={() => put(i, undefined)}>
                <Trans>Remove the group</Trans>
              </Button>
            </div>
          ) : (
            <div className={c.sentence} data-testid="rule-leaf">
              <RuleLeaf
                step={step}
                leaf={part.leaf}
                not={part.not}
                event={event}
                onChange={(leaf, not, typing) => put(i, { leaf, not }, typing)}
              />
              <ActionIcon
                size="sm"
                className={c.drop}
                aria-label={t`Remove the condition`}
                onClick={() => put(i, undefined)}
              >
                <IconX size={14} stroke={1.75} />
              </ActionIcon>
            </div>
          )}
        </div>
      ))}
      <div className={c.row}>
        <Button size="sm" leftSection={<IconPlus size={14} stroke={1.75} />} onClick={() => add(fresh)}>
          <Trans>Add a condition</Trans>
        </Button>
        {depth < maxDepth && group.parts.length > 0 && (
          <Button
            size="sm"
            variant="subtle"
            onClick={() => add({ group: { how: group.how === "all" ? "any" : "all", parts: [fresh] } })}
          >
            <Trans>Add a group</Trans>
          </Button>
        )}
      </div>
    </>
  );
}
