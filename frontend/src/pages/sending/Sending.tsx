import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Provider, providersQuery } from "@/api/sending";
import { useCan, workspaceQuery } from "@/api/session";
import classes from "@/pages/settings/settings.module.css";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { AccountDialog } from "./AccountDialog";
import { ChannelAccounts } from "./ChannelAccounts";
import { Domains } from "./Domains";
import c from "./sending.module.css";

const channels = ["email", "sms", "whatsapp", "push", "letter"] as const;

/** Who carries messages, channel by channel, and the domains that mails come from. */
export function Sending() {
  const { t } = useLingui();
  const write = useCan()("providers.write");
  const providers = useQuery(providersQuery);
  const { data: workspace } = useQuery(workspaceQuery);
  const [editing, setEditing] = useState<{ channel: string; provider?: Provider }>();
  return (
    <>
      <Panel title={t`Accounts that send`} flush>
        {workspace?.delivery === "sandbox" && (
          <p className={`${classes.notice} ${c.notice}`}>
            {t`Sandbox: whatever is connected here, messages go to the Test inbox until somebody goes live.`}
          </p>
        )}
        {providers.error ? (
          <Failure error={providers.error} reset={() => providers.refetch()} compact />
        ) : providers.isPending ? (
          <RowSkeletons rows={5} />
        ) : (
          channels.map((channel) => (
            <ChannelAccounts
              key={channel}
              channel={channel}
              providers={providers.data.items.filter((one) => one.channel === channel)}
              locked={!write}
              edit={(provider) => setEditing(provider ? { channel, provider } : { channel })}
            />
          ))
        )}
      </Panel>
      <Domains locked={!write} />
      {editing && providers.data && (
        <AccountDialog list={providers.data} {...editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}
