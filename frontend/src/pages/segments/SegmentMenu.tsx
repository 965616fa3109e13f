import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconCopy, IconCursorText, IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { isProblem } from "@/api/problem";
import { createSegment, deleteSegment, type Segment, segmentsQuery, updateSegment } from "@/api/segments";
import { useCan } from "@/api/session";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useRename } from "@/ui/useRename";

const icon = { size: 15, stroke: 1.75, "aria-hidden": true } as const;

/** What can be done with a segment, in the list or (inside) on its own page. */
export function SegmentMenu({ segment, inside }: { segment: Segment; inside?: boolean }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const [naming, rename] = useRename();
  const { id, name } = segment;
  const write = can("contacts.write");
  if (inside && !write) return null;

  const remove = async () => {
    try {
      await deleteSegment(id);
      if (inside) await navigate({ to: "/segments" });
      client.removeQueries({ queryKey: ["segments", id] });
      await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
      toast.show({ title: t`“${name}” is deleted` });
    } catch (error) {
      toast.failed(error, isProblem(error, "conflict") ? t`“${name}” is still in use` : undefined);
    }
  };
  const keepName = async (next: string) => {
    try {
      await updateSegment(id, { name: next });
    } catch (error) {
      toast.failed(error);
      throw error;
    }
    await client.invalidateQueries({ queryKey: ["segments"] });
  };
  const duplicate = async () => {
    try {
      const { description, rule } = segment;
      const made = await createSegment({ name: t`${name} (copy)`, description, rule });
      await client.invalidateQueries({ queryKey: segmentsQuery.queryKey });
      toast.show({
        title: t`“${made.name}” was made`,
        action: {
          label: t`Open the copy`,
          onClick: () => navigate({ to: "/segments/$id", params: { id: made.id } }),
        },
      });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <>
      {dialog}
      {naming}
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon size={inside ? "md" : "sm"} aria-label={t`What to do with “${name}”`}>
            <IconDots size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!inside && (
            <Menu.Item
              leftSection={<IconPencil {...icon} />}
              onClick={() => navigate({ to: "/segments/$id", params: { id } })}
            >
              {t`Open`}
            </Menu.Item>
          )}
          {write && !inside && (
            <Menu.Item
              leftSection={<IconCursorText {...icon} />}
              onClick={() => rename({ title: t`Rename the segment`, name, save: keepName })}
            >
              {t`Rename…`}
            </Menu.Item>
          )}
          {write && (
            <Menu.Item leftSection={<IconCopy {...icon} />} onClick={duplicate}>
              {t`Duplicate`}
            </Menu.Item>
          )}
          {write && (
            <Menu.Item
              leftSection={<IconTrash {...icon} />}
              onClick={() =>
                confirm({
                  title: t`Delete the segment “${name}”?`,
                  text: t`The people in it stay; only the group goes. This cannot be taken back.`,
                  action: t`Delete the segment`,
                  run: remove,
                })
              }
            >
              {t`Delete…`}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
