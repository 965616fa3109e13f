import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconEraser } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Contact, eraseContact } from "@/api/people";
import { callName } from "@/pages/people/name";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";

export function PersonMenu({ person }: { person: Contact }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const name = callName(person);
  const erase = () =>
    confirm({
      title: t`Erase ${name} for good?`,
      text: t`Name, addresses, fields and messages are removed, and every funnel ends for this person. The address stays blocked, so that nothing is sent there again. This cannot be taken back.`,
      action: t`Erase ${name}`,
      run: async () => {
        try {
          await eraseContact(person.id);
        } catch (error) {
          toast.failed(error);
          return;
        }
        await navigate({ to: "/people" });
        client.removeQueries({ queryKey: ["contact", person.id] });
        client.invalidateQueries({ queryKey: ["people"] });
        toast.show({ title: t`The person is erased` });
      },
    });
  return (
    <>
      {dialog}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon aria-label={t`More about ${name}`}>
            <IconDots size={17} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            color="var(--error)"
            leftSection={<IconEraser size={15} stroke={1.75} aria-hidden />}
            onClick={erase}
          >
            {t`Erase this person…`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
