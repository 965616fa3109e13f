import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconCopy, IconCursorText, IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Campaign, deleteCampaign, duplicateCampaign, saveCampaign } from "@/api/campaigns";
import { useCan } from "@/api/session";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useRename } from "@/ui/useRename";

/** What else can be done with a campaign. */
export function CampaignMenu({ campaign, inside }: { campaign: Campaign; inside?: boolean }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const [naming, rename] = useRename();
  if (!can("campaigns.write")) return null;
  const keepName = async (name: string) => {
    try {
      await saveCampaign(campaign.id, { revision: campaign.revision, name });
    } catch (error) {
      toast.failed(error);
      throw error;
    } finally {
      await client.invalidateQueries({ queryKey: ["campaigns"] });
    }
  };
  const copy = async () => {
    try {
      const made = await duplicateCampaign(campaign.id, t`${campaign.name} (copy)`);
      await client.invalidateQueries({ queryKey: ["campaigns"], exact: true });
      await navigate({ to: "/campaigns/$id", params: { id: made.campaign.id } });
    } catch (error) {
      toast.failed(error);
    }
  };
  const remove = () =>
    confirm({
      title: t`Delete “${campaign.name}”?`,
      text: t`Nobody has received it. What was written is gone for good.`,
      action: t`Delete the campaign`,
      run: async () => {
        try {
          await deleteCampaign(campaign.id);
          if (inside) await navigate({ to: "/campaigns" });
          await client.invalidateQueries({ queryKey: ["campaigns"], exact: true });
        } catch (error) {
          toast.failed(error);
        }
      },
    });
  const unsent = campaign.state === "draft" || campaign.state === "scheduled";
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" aria-label={t`More about “${campaign.name}”`}>
            <IconDots size={17} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!inside && (
            <Menu.Item
              leftSection={<IconPencil size={15} stroke={1.75} />}
              onClick={() => navigate({ to: "/campaigns/$id", params: { id: campaign.id } })}
            >
              {t`Open`}
            </Menu.Item>
          )}
          {!inside && campaign.state === "draft" && (
            <Menu.Item
              leftSection={<IconCursorText size={15} stroke={1.75} />}
              onClick={() => rename({ title: t`Rename the campaign`, name: campaign.name, save: keepName })}
            >
              {t`Rename…`}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={15} stroke={1.75} />} onClick={() => void copy()}>
            {t`Duplicate`}
          </Menu.Item>
          {unsent && (
            <Menu.Item color="red" leftSection={<IconTrash size={15} stroke={1.75} />} onClick={remove}>
              {t`Delete…`}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog}
      {naming}
    </>
  );
}
