import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Menu } from "@mantine/core";
import { IconMail, IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import { entered, type Provider, type ProviderRole, providersQuery } from "@/api/sending";
import { useSession } from "@/api/session";
import classes from "@/pages/settings/settings.module.css";
import { channelIcons, useChannelName } from "@/ui/channels";
import { useFormat } from "@/ui/format";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import own from "./sending.module.css";
import { useSendingWords } from "./words";

interface ChannelProps {
  channel: string;
  providers: Provider[];
  locked: boolean;
  edit: (provider?: Provider) => void;
}

/** One channel: its accounts, or the word that it has none. */
export function ChannelAccounts({ channel, providers, locked, edit }: ChannelProps) {
  const { t } = useLingui();
  const name = useChannelName()(channel);
  const Icon = channelIcons[channel] ?? IconMail;
  const active = providers.some((one) => one.role === "active");
  return (
    <section className={own.channel} aria-label={name} data-testid={`channel-${channel}`}>
      <header className={own.head}>
        <Icon size={16} stroke={1.75} aria-hidden />
        <h3>{name}</h3>
        <span className="meta">{!active && t`Nobody carries it: it goes to the Test inbox.`}</span>
        {!locked && (
          <Button
            size="sm"
            variant="subtle"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            aria-label={t`Add an account for ${name}`}
            onClick={() => edit()}
          >
            {t`Add`}
          </Button>
        )}
      </header>
      {providers.map((provider) => (
        <Account
          key={provider.id}
          provider={provider}
          only={providers.filter((one) => one.kind === provider.kind).length === 1}
          locked={locked}
          edit={() => edit(provider)}
        />
      ))}
    </section>
  );
}

interface AccountProps {
  provider: Provider;
  /** There is no second of its kind. */
  only: boolean;
  locked: boolean;
  edit: () => void;
}

function Account({ provider, only, locked, edit }: AccountProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const words = useSendingWords();
  const { user } = useSession();
  const [dialog, confirm] = useConfirm();
  const [busy, setBusy] = useState(false);
  const [mailed, setMailed] = useState<{ ok: boolean; detail: string }>();
  const path = { params: { path: { id: provider.id } } };
  const { name, role } = provider;
  const refresh = () => client.invalidateQueries({ queryKey: providersQuery.queryKey });

  const attempt = async (act: () => Promise<unknown>, done?: string) => {
    setBusy(true);
    try {
      await act();
      if (done) toast.show({ title: done });
    } catch (error) {
      toast.failed(isProblem(error) ? error : undefined);
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  const become = (to: ProviderRole, done: string) =>
    attempt(() => ask(api.PUT("/providers/{id}", { ...path, body: { ...entered(provider), role: to } })), done);
  const test = () => attempt(() => ask(api.POST("/providers/{id}/check", path)));
  const mail = () =>
    attempt(async () => setMailed(await ask(api.POST("/providers/smtp/test", { body: { to: user.email } }))));
  const remove = () =>
    confirm({
      title: t`Remove the account ${name}?`,
      text: t`Its keys are deleted. What waits for it goes where new messages go.`,
      action: t`Remove the account`,
      run: () => attempt(() => ask(api.DELETE("/providers/{id}", path)), t`${name} is removed`),
    });

  const facts = [
    name === words.kind(provider.kind) ? "" : words.kind(provider.kind),
    provider.config.host ?? provider.config.url ?? provider.config.from ?? provider.config.region ?? "",
    provider.preset ? `${words.preset(provider.preset)}: ${words.limits(provider)}` : words.limits(provider),
    provider.per_day
      ? t`${format.number(provider.used_today)} of ${format.number(provider.per_day)} used in the last 24 hours`
      : "",
  ];
  return (
    <div className={classes.line} data-testid={`account-${provider.kind}`}>
      {dialog}
      <span className={classes.lineText}>
        {name}
        <small>{facts.filter(Boolean).join(" · ")}</small>
      </span>
      {provider.warm_up && <Badge data-tone="primary">{t`Warming up`}</Badge>}
      {role === "active" && <Badge data-tone="ok">{t`Sends`}</Badge>}
      {role === "reserve" && <Badge data-tone="primary">{t`Reserve`}</Badge>}
      {role === "off" && <Badge data-tone="ghost">{t`Paused`}</Badge>}
      {!locked && (
        <>
          <Button size="sm" loading={busy} onClick={test} aria-label={t`Test ${name}`}>
            {t`Test`}
          </Button>
          <Menu position="bottom-end" width={220}>
            <Menu.Target>
              <Button size="sm" variant="subtle" aria-label={t`More about ${name}`}>
                …
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={edit}>{t`Change…`}</Menu.Item>
              {provider.kind === "smtp" && only && <Menu.Item onClick={mail}>{t`Send a test to me`}</Menu.Item>}
              {role !== "active" && (
                <Menu.Item
                  onClick={() => become("active", t`${name} sends from now on`)}
                >{t`Send through it`}</Menu.Item>
              )}
              {role !== "reserve" && (
                <Menu.Item onClick={() => become("reserve", t`${name} takes over when the other one fails`)}>
                  {t`Keep as the reserve`}
                </Menu.Item>
              )}
              {role !== "off" && (
                <Menu.Item onClick={() => become("off", t`Nothing leaves through ${name} now`)}>{t`Pause`}</Menu.Item>
              )}
              <Menu.Item onClick={remove}>{t`Remove…`}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      {provider.outage && (
        <p className={`${classes.refusal} ${own.whole}`} role="alert">
          {t`Out of order, so messages wait or take the reserve: ${provider.outage}. It is tried again by itself.`}
        </p>
      )}
      {provider.closed_to && (
        <p className={`${classes.refusal} ${own.whole}`} role="status" data-testid="reserve-closed">
          {t`It cannot take over for ${provider.closed_to.join(", ")}: nothing that is published there speaks for it, so those mails wait for the other account. Publish what is missing below, then check the domain again.`}
        </p>
      )}
      {provider.paused_until && (
        <p className={`${classes.notice} ${own.whole}`}>
          {t`It asked us to slow down. It is left alone until ${format.moment(provider.paused_until)}.`}
        </p>
      )}
      {provider.checked_at && (
        <p className={`${provider.check_said ? classes.refusal : classes.good} ${own.whole}`} role="status">
          {provider.check_said
            ? t`Tested ${format.moment(provider.checked_at)}: ${provider.check_said}`
            : t`Tested ${format.moment(provider.checked_at)}: it let us in. Nothing was sent.`}
        </p>
      )}
      {mailed && (
        <p className={`${mailed.ok ? classes.good : classes.refusal} ${own.whole}`} role="status">
          {mailed.ok ? t`Sent to ${user.email}. The server answered: ${mailed.detail}` : mailed.detail}
        </p>
      )}
    </div>
  );
}
