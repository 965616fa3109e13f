import { useLingui } from "@lingui/react/macro";
import { Button, Menu } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import { type Contact, startFunnelFor } from "@/api/people";
import { callName } from "@/pages/people/name";
import { useReactionWords } from "@/ui/reactionWords";
import { useToast } from "@/ui/toast";

/** Puts a person into a live funnel by hand. */
export function StartFunnel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const reactionWord = useReactionWords();
  const [open, setOpen] = useState(false);
  const funnels = useQuery({ ...funnelChoicesQuery, enabled: open });
  const live = funnels.data?.filter((funnel) => funnel.state === "live") ?? [];
  const name = callName(person);

  const start = async (id: string, funnel: string) => {
    try {
      const { started, skipped } = await startFunnelFor(person.id, id);
      await client.invalidateQueries({ queryKey: ["contact", person.id] });
      if (started > 0) toast.show({ title: t`${name} is in “${funnel}” now` });
      else
        toast.show({
          title: t`${name} did not enter “${funnel}”`,
          text: skipped[0] ? reactionWord(skipped[0].reason) : undefined,
        });
    } catch (error) {
      toast.failed(error);
    }
  };

  return (
    <Menu opened={open} onChange={setOpen} position="bottom-end" width={260}>
      <Menu.Target>
        <Button leftSection={<IconPlayerPlay size={15} stroke={1.75} aria-hidden />}>{t`Start a funnel`}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t`Live funnels that start by hand`}</Menu.Label>
        {live.map((funnel) => (
          <Menu.Item key={funnel.id} onClick={() => start(funnel.id, funnel.name)}>
            {funnel.name}
          </Menu.Item>
        ))}
        {funnels.data && live.length === 0 && <Menu.Item disabled>{t`No funnel is live`}</Menu.Item>}
        {!funnels.data && <Menu.Item disabled>{t`One moment`}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
