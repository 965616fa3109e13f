import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button } from "@mantine/core";
import { IconChevronDown, IconHandStop, IconPencil, IconSend, IconTrash } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  dropMessages,
  holdMessages,
  type OutboxGroup,
  type OutboxSelection,
  outboxMessagesQuery,
  releaseMessages,
  selectionOf,
} from "@/api/outbox";
import { useCan } from "@/api/session";
import { readable } from "@/canvas/mergeWords";
import type { CatalogueData } from "@/canvas/types";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Row, Rows } from "@/ui/Rows";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { Correct } from "./Correct";
import classes from "./outbox.module.css";

/** The waiting messages of one step or one campaign, and what can be done with them. */
export function GroupCard({ group, data }: { group: OutboxGroup; data: CatalogueData }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const act = useAct();
  const [open, setOpen] = useState(false);
  const [correcting, setCorrecting] = useState(false);
  const [dialog, confirm] = useConfirm();
  const all = selectionOf(group);
  const name = group.step ? `${group.name}: ${group.step}` : group.name || t`Other messages`;
  const count = format.number(group.waiting + group.held);
  const held = format.number(group.held);
  const when =
    group.waiting > 0 && group.leaves_at
      ? t`The first one leaves at ${format.time(group.leaves_at)}.`
      : t`Held until you let them go.`;
  const drop = () =>
    confirm({
      title: plural(group.waiting + group.held, { one: "Take # message out?", other: "Take # messages out?" }),
      text: t`The people do not receive “${name}”. This cannot be taken back.`,
      action: t`Take them out`,
      run: () => act.mutateAsync([dropMessages, all]).catch(() => undefined),
    });
  return (
    <section className={classes.group} aria-label={name} data-testid="outbox-group">
      <header className={classes.head}>
        <strong className={classes.count}>{count}</strong>
        <div className={classes.what}>
          <h2>{name}</h2>
          <p className="meta">
            {group.subject ? `“${readable(group.subject)}” · ` : ""}
            {when}
            {group.held > 0 && group.waiting > 0 ? ` ${t`${held} are held.`}` : ""}
          </p>
        </div>
        {can("messages.act") && (
          <div className={classes.acts}>
            {group.waiting > 0 && (
              <Button
                variant="filled"
                leftSection={<IconHandStop size={15} stroke={1.75} aria-hidden />}
                onClick={() => act.mutate([holdMessages, all])}
              >
                {t`Hold them`}
              </Button>
            )}
            {can("funnels.publish") && (
              <Button
                leftSection={<IconPencil size={15} stroke={1.75} aria-hidden />}
                onClick={() => setCorrecting(true)}
              >
                {t`Correct…`}
              </Button>
            )}
            <Button
              leftSection={<IconSend size={15} stroke={1.75} aria-hidden />}
              onClick={() => act.mutate([releaseMessages, all])}
            >
              {t`Let them go now`}
            </Button>
            <Button variant="subtle" leftSection={<IconTrash size={15} stroke={1.75} aria-hidden />} onClick={drop}>
              {t`Take them out…`}
            </Button>
          </div>
        )}
        <ActionIcon
          variant="subtle"
          aria-expanded={open}
          aria-label={t`Show the people`}
          className={classes.fold}
          onClick={() => setOpen(!open)}
        >
          <IconChevronDown size={17} stroke={1.75} />
        </ActionIcon>
      </header>
      {open && <People group={group} />}
      {correcting && <Correct group={group} data={data} close={() => setCorrecting(false)} />}
      {dialog}
    </section>
  );
}

type Act = [run: (selection: OutboxSelection) => Promise<{ changed: number }>, selection: OutboxSelection];

/** Does something with messages and looks again. */
function useAct() {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: ([run, selection]: Act) => run(selection),
    onSuccess: ({ changed }) => {
      if (changed === 0) toast.show({ title: t`They had left already` });
      else toast.show({ title: plural(changed, { one: "Done for # message", other: "Done for # messages" }) });
    },
    onError: (error) => toast.failed(error),
    onSettled: () => client.invalidateQueries({ queryKey: ["outbox"] }),
  });
}

function People({ group }: { group: OutboxGroup }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const act = useAct();
  const list = useInfiniteQuery(outboxMessagesQuery(group));
  const people = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className={classes.people}>
      <Rows
        heads={[
          { label: t`Name` },
          { label: t`Address`, kind: "address" },
          { label: t`State` },
          { label: t`Actions`, kind: "acts" },
        ]}
      >
        {people.map((one) => (
          <Row key={one.id}>
            <Link to="/people/$id" params={{ id: one.contact_id }} className={classes.person}>
              {one.name || t`No name`}
            </Link>
            <span className="meta cut">{one.address ?? "–"}</span>
            <span className="meta">
              {one.held ? t`Held` : one.leaves_at ? t`leaves at ${format.time(one.leaves_at)}` : "–"}
            </span>
            {can("messages.act") && (
              <>
                {one.held ? (
                  <Button size="sm" variant="subtle" onClick={() => act.mutate([releaseMessages, { ids: [one.id] }])}>
                    {t`Let it go`}
                  </Button>
                ) : (
                  <Button size="sm" variant="subtle" onClick={() => act.mutate([holdMessages, { ids: [one.id] }])}>
                    {t`Hold`}
                  </Button>
                )}
                <Button size="sm" variant="subtle" onClick={() => act.mutate([dropMessages, { ids: [one.id] }])}>
                  {t`Take out`}
                </Button>
              </>
            )}
          </Row>
        ))}
      </Rows>
      <MoreRows query={list} />
    </div>
  );
}
