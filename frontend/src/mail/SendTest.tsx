import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Popover, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "@/api/problem";
import { sessionQuery, workspaceQuery } from "@/api/session";
import { api } from "@/canvas/api";
import type { Creative, Step } from "@/canvas/types";
import m from "./mail.module.css";

/** Sends the message once, marked as a test. Says where it goes: the Test inbox, or the real address. */
export function SendTest({ step, creative }: { step: Step; creative: Creative }) {
  const { t } = useLingui();
  const session = useQuery(sessionQuery);
  const workspace = useQuery(workspaceQuery);
  const sandbox = (workspace.data?.delivery ?? "sandbox") === "sandbox";
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState<string>();
  const [busy, setBusy] = useState(false);
  const address = to ?? session.data?.user.email ?? "";
  const send = async () => {
    setBusy(true);
    try {
      const sender = typeof step.config.sender === "string" ? step.config.sender.replace("sender:", "") : undefined;
      await api.sendTest({ creative, to: address, ...(sender ? { sender } : {}) });
      notifications.show({
        message: sandbox ? t`The test lies in the Test inbox.` : t`The test is on its way to ${address}.`,
      });
      setOpen(false);
    } catch (error) {
      const detail = isProblem(error) ? error.detail : "";
      notifications.show({ message: detail || t`The test could not be sent. Try again in a moment.` });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Popover opened={open} onChange={setOpen} trapFocus position="top-start">
      <Popover.Target>
        <Button leftSection={<IconSend size={15} stroke={1.75} />} onClick={() => setOpen(!open)}>
          <Trans>Send a test</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={m.pop}>
        <TextInput
          data-autofocus
          type="email"
          label={t`Send the test to`}
          description={sandbox ? t`Sandbox: it goes to the Test inbox, nothing leaves.` : t`It really leaves.`}
          value={address}
          onChange={(e) => setTo(e.currentTarget.value)}
          onKeyDown={(e) => e.key === "Enter" && void send()}
        />
        <div className={m.popFoot}>
          <span />
          <Button size="sm" variant="filled" loading={busy} onClick={() => void send()}>
            <Trans>Send the test</Trans>
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
