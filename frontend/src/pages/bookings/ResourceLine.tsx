import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconExternalLink } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { deleteResource, type Resource, resourcesQuery } from "@/api/inbound";
import { CopyText } from "@/ui/CopyText";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import classes from "./bookings.module.css";
import { spans } from "./hours";
import { useWeekdays } from "./useWeekdays";

interface LineProps {
  resource: Resource;
  locked: boolean;
  onEdit: () => void;
}

/** One thing that can be booked: when it is open, and the page where people choose a time. */
export function ResourceLine({ resource, locked, onEdit }: LineProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const weekday = useWeekdays();
  const [dialog, confirm] = useConfirm();
  const { name, slot_minutes: minutes, buffer_minutes: buffer } = resource;
  const length = plural(minutes, { one: "# minute", other: "# minutes" });
  const rest = plural(buffer, { one: "# minute", other: "# minutes" });
  const open = spans(resource.hours);
  const remove = () =>
    confirm({
      title: t`Remove ${name}?`,
      text: t`Nobody can book it any more. Bookings that stand are kept. This cannot be taken back.`,
      action: t`Remove what can be booked`,
      run: async () => {
        try {
          await deleteResource(resource.slug);
          await client.invalidateQueries({ queryKey: resourcesQuery.queryKey });
          client.invalidateQueries({ queryKey: ["bookings"] });
          toast.show({ title: t`${name} is removed` });
        } catch (error) {
          toast.failed(error);
        }
      },
    });
  return (
    <div className={classes.resource} data-testid={`resource-${resource.slug}`}>
      {dialog}
      <div className={classes.resourceHead}>
        <h3>{name}</h3>
        {!locked && (
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <ActionIcon aria-label={t`More about ${name}`}>
                <IconDots size={18} stroke={1.75} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onEdit}>{t`Change…`}</Menu.Item>
              <Menu.Item onClick={remove}>{t`Remove…`}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      <p className={classes.facts}>
        {buffer > 0 ? t`${length}, then ${rest} free` : length} · {resource.zone}
      </p>
      {open.length === 0 ? (
        <p className={classes.closed}>{t`Never open: choose “Change…” and give it hours.`}</p>
      ) : (
        <dl className={classes.hours}>
          {open.map(({ first, last, openings }) => (
            <div key={first}>
              <dt>
                {first === last ? weekday(first, "short") : `${weekday(first, "short")} – ${weekday(last, "short")}`}
              </dt>
              <dd className="num">{openings.map(({ from, to }) => `${from}–${to}`).join(", ")}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className={classes.buttons}>
        <CopyText value={resource.url} label={t`Copy the address of the booking page of ${name}`} />
        <Button
          size="sm"
          leftSection={<IconExternalLink size={14} stroke={1.75} aria-hidden />}
          renderRoot={(props) => <a href={resource.url} target="_blank" rel="noreferrer" {...props} />}
        >
          {t`Open the booking page`}
        </Button>
      </div>
    </div>
  );
}
