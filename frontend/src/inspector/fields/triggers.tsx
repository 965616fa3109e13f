import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { visibleFields } from "@/canvas/catalogue";
import { triggerIcon } from "@/canvas/kinds";
import { useEditor } from "@/canvas/store";
import type { Trigger } from "@/canvas/types";
import { word } from "@/canvas/words";
import { ConfigField } from "../ConfigField";
import c from "../inspector.module.css";
import type { WidgetProps } from "./types";

/** What starts the funnel: one of several, each with its own fields. */
export function TriggersWidget({ step, value, onChange }: WidgetProps<Trigger[]>) {
  const { t } = useLingui();
  const catalogue = useEditor((s) => s.catalogue);
  const triggers = value ?? [];
  const put = (i: number, next: Trigger | undefined, typing?: boolean) => {
    const list = [...triggers];
    if (next) list[i] = next;
    else list.splice(i, 1);
    onChange(list, typing);
  };
  const add = (kind: string) => {
    const spec = catalogue.trigger(kind);
    const made: Trigger = { kind };
    for (const f of spec.fields)
      if (f.default !== undefined && f.default !== null) made[f.key] = structuredClone(f.default);
    onChange([...triggers, made]);
  };
  return (
    <div>
      {triggers.map((trigger, i) => {
        const spec = catalogue.trigger(trigger.kind);
        const owner = `trigger.${trigger.kind}`;
        const Icon = triggerIcon(trigger.kind);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no identity but their place
          <div key={i}>
            {i > 0 && (
              <div className={c.or}>
                <Trans>or</Trans>
              </div>
            )}
            <div className={c.box} data-testid={`trigger-${i}`}>
              <div className={c.boxHead}>
                <span className={c.row}>
                  <Icon size={16} stroke={1.75} />
                  {word(`kind.${owner}.title`, spec.title)}
                </span>
                <ActionIcon size="sm" aria-label={t`Remove this start`} onClick={() => put(i, undefined)}>
                  <IconTrash size={15} stroke={1.75} />
                </ActionIcon>
              </div>
              {visibleFields(spec, trigger).map((field) => (
                <ConfigField
                  key={field.key}
                  step={step}
                  owner={owner}
                  spec={field}
                  path={`triggers.${i}.${field.key}`}
                  value={trigger[field.key]}
                  event={trigger.kind === "api_event" ? String(trigger.name ?? "") : undefined}
                  onChange={(v, typing) => {
                    const next = { ...trigger };
                    if (v === undefined) delete next[field.key];
                    else next[field.key] = v;
                    put(i, next, typing);
                  }}
                />
              ))}
            </div>
          </div>
        );
      })}
      <Menu>
        <Menu.Target>
          <Button
            mt={triggers.length > 0 ? 10 : 0}
            fullWidth={triggers.length === 0}
            leftSection={<IconPlus size={15} stroke={1.75} />}
          >
            {triggers.length === 0 ? <Trans>Choose what starts this</Trans> : <Trans>Or start when…</Trans>}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {catalogue.triggers.map((k) => {
            const Icon = triggerIcon(k.kind);
            return (
              <Menu.Item key={k.kind} leftSection={<Icon size={16} stroke={1.75} />} onClick={() => add(k.kind)}>
                {word(`kind.trigger.${k.kind}.title`, k.title)}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
