import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArchive,
  IconCopy,
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  archiveFunnel,
  deleteFunnel,
  duplicateFunnel,
  type Funnel,
  pauseFunnel,
  resumeFunnel,
  stopFunnel,
} from "@/api/funnels";
import { useCan } from "@/api/session";
import { editorOf } from "@/ui/links";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";

const icon = { size: 15, stroke: 1.75, "aria-hidden": true } as const;

/** All one can do with a funnel from the list. What can be taken back is done at once; the rest asks. */
export function FunnelMenu({ funnel }: { funnel: Funnel }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const { id, name, state } = funnel;
  const inside = funnel.counts.active + funnel.counts.parked;

  const attempt = async <Result,>(run: () => Promise<Result>, done: (result: Result) => void) => {
    try {
      const result = await run();
      await client.invalidateQueries({ queryKey: ["funnels"] });
      done(result);
    } catch (error) {
      toast.failed(error);
    }
  };
  const resume = () =>
    attempt(
      () => resumeFunnel(id),
      () => toast.show({ title: t`“${name}” goes on` }),
    );
  const pause = () =>
    attempt(
      () => pauseFunnel(id),
      () => toast.show({ title: t`“${name}” is paused`, text: t`Nobody starts or moves on.`, undo: resume }),
    );
  const duplicate = () =>
    attempt(
      () => duplicateFunnel(id),
      (copy) =>
        toast.show({
          title: t`“${copy.funnel.name}” was made`,
          action: { label: t`Open the copy`, onClick: () => navigate(editorOf(copy.funnel.id)) },
        }),
    );
  const stop = () =>
    confirm({
      title: t`Stop “${name}”?`,
      text:
        inside === 0
          ? t`Nobody is inside. New people will no longer start.`
          : t`${plural(inside, {
              one: "# person inside ends here",
              other: "# people inside end here",
            })}, and what they were about to get is not sent. This cannot be taken back.`,
      action: t`Stop the funnel`,
      run: () =>
        attempt(
          () => stopFunnel(id),
          () => toast.show({ title: t`“${name}” is stopped` }),
        ),
    });
  const archive = () =>
    confirm({
      title: t`Archive “${name}”?`,
      text: t`It leaves the list; its history stays in the archive.`,
      action: t`Archive the funnel`,
      run: () =>
        attempt(
          () => archiveFunnel(id),
          () => toast.show({ title: t`“${name}” is in the archive` }),
        ),
    });
  const remove = () =>
    confirm({
      title: t`Delete the draft “${name}”?`,
      text: t`It was never published, so nobody was ever inside. This cannot be taken back.`,
      action: t`Delete the draft`,
      run: () =>
        attempt(
          () => deleteFunnel(id),
          () => toast.show({ title: t`“${name}” is deleted` }),
        ),
    });

  const write = can("funnels.write");
  const operate = can("funnels.operate");
  const running = state === "live" || state === "paused";
  return (
    <>
      {dialog}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t`What to do with “${name}”`}>
            <IconDots size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={() => navigate(editorOf(id))}>
            {t`Open`}
          </Menu.Item>
          {write && (
            <Menu.Item leftSection={<IconCopy {...icon} />} onClick={duplicate}>
              {t`Duplicate`}
            </Menu.Item>
          )}
          {state === "live" && operate && (
            <Menu.Item leftSection={<IconPlayerPause {...icon} />} onClick={pause}>
              {t`Pause`}
            </Menu.Item>
          )}
          {state === "paused" && operate && (
            <Menu.Item leftSection={<IconPlayerPlay {...icon} />} onClick={resume}>
              {t`Resume`}
            </Menu.Item>
          )}
          {running && operate && (
            <Menu.Item leftSection={<IconPlayerStop {...icon} />} onClick={stop}>
              {t`Stop…`}
            </Menu.Item>
          )}
          {write && funnel.version > 0 && !running && state !== "archived" && (
            <Menu.Item leftSection={<IconArchive {...icon} />} onClick={archive}>
              {t`Archive…`}
            </Menu.Item>
          )}
          {write && funnel.version === 0 && (
            <Menu.Item leftSection={<IconTrash {...icon} />} onClick={remove}>
              {t`Delete…`}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
