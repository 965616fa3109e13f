import { useLingui } from "@lingui/react/macro";
import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconBell,
  IconBrandWhatsapp,
  IconFileText,
  IconInbox,
  IconMail,
  IconMessage,
  IconSearch,
} from "@tabler/icons-react";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import type { Message } from "@/api/messages";
import { byDay } from "@/ui/byDay";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { useMessageWords } from "@/ui/messageWords";
import { RowSkeletons } from "@/ui/Skeletons";
import { useDayName } from "@/ui/useDayName";
import { useSource } from "@/ui/useSource";
import type { InboxSearch } from "./Inbox";
import classes from "./inbox.module.css";

interface InboxListProps {
  list: UseInfiniteQueryResult;
  messages: Message[];
  search: InboxSearch;
  onSearch: (search: InboxSearch) => void;
}

export function InboxList({ list, messages, search, onSearch }: InboxListProps) {
  const { t } = useLingui();
  const format = useFormat();
  const dayName = useDayName();
  const [typed, setTyped] = useState(search.q ?? "");
  const [q] = useDebouncedValue(typed.trim(), 250);
  const funnels = useQuery(funnelChoicesQuery);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes the address bar
  useEffect(() => {
    if (q !== (search.q ?? "")) onSearch({ ...search, q: q || undefined });
  }, [q]);

  return (
    <section className={classes.list} aria-label={t`Messages`}>
      <div className={classes.filters}>
        <TextInput
          className={classes.address}
          size="sm"
          aria-label={t`Person or text`}
          placeholder={t`Person or text`}
          leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Select
          className={classes.funnel}
          size="sm"
          aria-label={t`Funnel`}
          placeholder={t`All funnels`}
          clearable
          clearButtonProps={{ "aria-label": t`Clear` }}
          data={funnels.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={search.funnel ?? null}
          onChange={(funnel) => onSearch({ ...search, funnel: funnel ?? undefined })}
        />
      </div>
      <div className={classes.scroll}>
        {list.error ? (
          <Failure error={list.error} reset={() => list.refetch()} compact />
        ) : list.isPending ? (
          <RowSkeletons rows={8} />
        ) : messages.length === 0 && !list.hasNextPage ? (
          search.q || search.funnel ? (
            <Empty
              compact
              family="plain"
              icon={IconSearch}
              title={t`No message fits`}
              action={
                <Button
                  size="sm"
                  onClick={() => {
                    setTyped("");
                    onSearch({});
                  }}
                >
                  {t`Clear filters`}
                </Button>
              }
            />
          ) : (
            <Empty
              compact
              icon={IconInbox}
              title={t`Nothing was sent yet`}
              text={t`In the sandbox every message lands here instead of leaving. Publish a funnel and send it an event.`}
            />
          )
        ) : (
          byDay(messages, (message) => format.dayKey(whenOf(message))).map(({ key, items }) => (
            <section key={key}>
              <h3 className={classes.day}>{dayName(items[0] ? whenOf(items[0]) : "")}</h3>
              <ul>
                {items.map((message) => (
                  <Item key={message.id} message={message} search={search} />
                ))}
              </ul>
            </section>
          ))
        )}
        <MoreRows query={list as UseInfiniteQueryResult & { isFetchNextPageError: boolean }} />
      </div>
    </section>
  );
}

const whenOf = (message: Message) => message.sent_at ?? message.created_at;

const channelIcons: Record<string, typeof IconMail> = {
  sms: IconMessage,
  whatsapp: IconBrandWhatsapp,
  push: IconBell,
  letter: IconFileText,
};

function Item({ message, search }: { message: Message; search: InboxSearch }) {
  const { t } = useLingui();
  const sourceOf = useSource();
  const format = useFormat();
  const { outcome } = useMessageWords();
  const { icon: Sign, tone, word } = outcome(message);
  const Sort = channelIcons[message.channel] ?? IconMail;
  const quiet = message.state === "sent" || message.state === "delivered";
  const opened = message.opened || message.clicked;
  return (
    <li>
      <Link
        to="/inbox"
        search={{ ...search, message: message.id }}
        className={classes.item}
        data-testid={`message-${message.to}`}
      >
        <span className={classes.chip} data-family="message">
          <Sort size={16} stroke={1.75} aria-hidden />
        </span>
        <span className={classes.lines}>
          <span className={classes.line1}>
            <span className="cut">{message.contact?.name || message.to || message.contact?.email || t`No name`}</span>
            <time dateTime={whenOf(message)}>{format.time(whenOf(message))}</time>
          </span>
          <span className={`${classes.line2} cut`}>
            {message.subject || message.node_name || message.source_name || t`No subject`}
          </span>
          <span className={classes.line3}>
            <span className="cut">{sourceOf(message)}</span>
            {(opened || !quiet) && (
              <span className={classes.outcome} data-tone={tone}>
                <Sign size={12} stroke={2} aria-hidden />
                {word}
              </span>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}
