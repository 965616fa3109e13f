import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Menu, Modal, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus, IconUserMinus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import type { Role } from "@/api/session";
import { useCan } from "@/api/session";
import { invitationsQuery, type Member, membersQuery } from "@/api/settings";
import { roles, useRoleDuty, useRoleName } from "@/shell/roles";
import { CopyText } from "@/ui/CopyText";
import { Face } from "@/ui/Face";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useRefusal } from "@/ui/useRefusal";
import classes from "./settings.module.css";

export function TeamSettings() {
  const { t } = useLingui();
  const can = useCan();
  const [inviting, invite] = useDisclosure(false);
  const members = useQuery(membersQuery);
  const mayWrite = can("members.write");
  return (
    <>
      <Panel
        title={t`Team`}
        flush
        actions={
          mayWrite && (
            <Button
              size="sm"
              variant="filled"
              leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
              onClick={invite.open}
            >
              {t`Invite a person`}
            </Button>
          )
        }
      >
        {members.error ? (
          <Failure error={members.error} reset={() => members.refetch()} compact />
        ) : members.isPending ? (
          <RowSkeletons rows={3} />
        ) : (
          members.data.map((member) => <MemberLine key={member.id} member={member} locked={!mayWrite} />)
        )}
      </Panel>
      {mayWrite && <Invitations />}
      {inviting && <InviteDialog onClose={invite.close} />}
    </>
  );
}

function MemberLine({ member, locked }: { member: Member; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const roleName = useRoleName();
  const [dialog, confirm] = useConfirm();
  const [link, setLink] = useState<string>();
  const name = member.name || member.email;
  const path = { params: { path: { id: member.id } } };

  const attempt = async (act: () => Promise<unknown>, done?: string) => {
    try {
      await act();
      await client.invalidateQueries({ queryKey: membersQuery.queryKey });
      if (done) toast.show({ title: done });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div className={classes.line}>
      {dialog}
      <Face name={member.name} seed={member.id} size={32} />
      <span className={classes.lineText}>
        {name} {member.me && <Badge>{t`you`}</Badge>}
        {member.name && <small>{member.email}</small>}
      </span>
      <Select
        className={classes.role}
        size="sm"
        aria-label={t`Role of ${name}`}
        disabled={locked}
        data={roles.map((role) => ({ value: role, label: roleName(role) }))}
        value={member.role}
        onChange={(role) =>
          role &&
          role !== member.role &&
          attempt(
            () => ask(api.PATCH("/members/{id}", { ...path, body: { role: role as Role } })),
            t`${name} is ${roleName(role as Role)} now`,
          )
        }
      />
      {!locked && !member.me && (
        <Menu position="bottom-end" width={230}>
          <Menu.Target>
            <Button size="sm" variant="subtle" aria-label={t`More about ${name}`}>
              …
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconKey size={15} stroke={1.75} aria-hidden />}
              onClick={() =>
                attempt(async () => setLink((await ask(api.POST("/members/{id}/password-reset", path))).url))
              }
            >
              {t`Make a link to a new password`}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconUserMinus size={15} stroke={1.75} aria-hidden />}
              onClick={() =>
                confirm({
                  title: t`Take ${name} out of the team?`,
                  text: t`The person can no longer come in here. What they made stays.`,
                  action: t`Take out`,
                  run: () => attempt(() => ask(api.DELETE("/members/{id}", path)), t`${name} is out of the team`),
                })
              }
            >
              {t`Take out of the team…`}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Modal
        opened={Boolean(link)}
        onClose={() => setLink(undefined)}
        title={t`Link to a new password`}
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        <p
          className={classes.lead}
        >{t`Hand it to ${name}. Whoever has the link can set the password; it works once.`}</p>
        <p className={classes.secret}>
          <code>{link}</code>
          <CopyText value={link ?? ""} label={t`Copy the link`} />
        </p>
      </Modal>
    </div>
  );
}

function Invitations() {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const roleName = useRoleName();
  const invitations = useQuery(invitationsQuery);
  if (!invitations.data || invitations.data.length === 0) return null;
  return (
    <Panel title={t`Invited, not here yet`} flush>
      {invitations.data.map((invitation) => (
        <div key={invitation.id} className={classes.line}>
          <Face size={32} />
          <span className={classes.lineText}>
            {invitation.email}
            <small>{t`${roleName(invitation.role)}, works until ${format.moment(invitation.expires_at)}`}</small>
          </span>
          <Button
            size="sm"
            variant="subtle"
            onClick={async () => {
              try {
                await ask(api.DELETE("/invitations/{id}", { params: { path: { id: invitation.id } } }));
                await client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
                toast.show({ title: t`The invitation of ${invitation.email} no longer works` });
              } catch (error) {
                toast.failed(error);
              }
            }}
          >
            {t`Withdraw`}
          </Button>
        </div>
      ))}
    </Panel>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const roleName = useRoleName();
  const roleDuty = useRoleDuty();
  const [made, setMade] = useState<{ url: string; mailed: boolean; email: string }>();
  const form = useForm({ initialValues: { email: "", role: "marketer" as Role } });
  const { refusal, refuse, forgive } = useRefusal(form);
  const submit = form.onSubmit(async (body) => {
    forgive();
    try {
      const { url, mailed } = await ask(api.POST("/invitations", { body }));
      setMade({ url, mailed, email: body.email });
      client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <Modal opened onClose={onClose} title={t`Invite a person`} closeButtonProps={{ "aria-label": t`Close` }}>
      {made ? (
        <div className={classes.form}>
          <p>
            {made.mailed
              ? t`The invitation is on its way to ${made.email}. You can also hand over the link; it is shown only now.`
              : t`No mail leaves yet, so hand over this link yourself. It is shown only now.`}
          </p>
          <p className={classes.secret}>
            <code>{made.url}</code>
            <CopyText value={made.url} label={t`Copy the link`} />
          </p>
          <div className={classes.buttons}>
            <Button variant="filled" onClick={onClose}>
              {t`Done`}
            </Button>
          </div>
        </div>
      ) : (
        <form className={classes.form} onSubmit={submit}>
          <TextInput
            label={t`E-mail`}
            type="email"
            required
            withAsterisk={false}
            data-autofocus
            {...form.getInputProps("email")}
          />
          <Select
            label={t`Role`}
            description={roleDuty(form.values.role)}
            data={roles.map((role) => ({ value: role, label: roleName(role) }))}
            comboboxProps={{ withinPortal: false }}
            {...form.getInputProps("role")}
            onChange={(role) => role && form.setFieldValue("role", role as Role)}
          />
          {refusal && (
            <p className={classes.refusal} role="alert">
              {refusal}
            </p>
          )}
          <div className={classes.buttons}>
            <Button type="submit" variant="filled" loading={form.submitting}>
              {t`Make the invitation`}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
