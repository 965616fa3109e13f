import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconMail, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import { type Message, type MessageFilter, type MessageState, messageStates, messagesQuery } from "@/api/messages";
import { useStream } from "@/api/stream";
import { upsert } from "@/pages/inbox/upsert";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { holdsText, splitSearch } from "@/ui/messageSearch";
import { useMessageWords } from "@/ui/messageWords";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { useSource } from "@/ui/useSource";
import classes from "./messages.module.css";

export interface MessagesSearch {
  q?: string;
  funnel?: string;
  state?: MessageState;
}

interface MessagesProps {
  search: MessagesSearch;
  onSearch: (search: MessagesSearch) => void;
}

/** Every message there is, with its state and the reason for it. */
export function Messages({ search, onSearch }: MessagesProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { stateWord } = useMessageWords();
  const [typed, setTyped] = useState(search.q ?? "");
  const [q] = useDebouncedValue(typed.trim(), 250);
  const { to, text } = splitSearch(search.q ?? "");
  const filter: MessageFilter = {
    ...(to ? { to } : {}),
    ...(search.funnel ? { funnel: search.funnel } : {}),
    ...(search.state ? { state: search.state } : {}),
  };
  const list = useInfiniteQuery({ ...messagesQuery(filter), placeholderData: keepPreviousData });
  const funnels = useQuery(funnelChoicesQuery);
  const messages = (list.data?.pages.flatMap((page) => page.items) ?? []).filter((message) => holdsText(message, text));
  const filtered = Boolean(search.q || search.state || search.funnel);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes the address bar
  useEffect(() => {
    if (q !== (search.q ?? "")) onSearch({ ...search, q: q || undefined });
  }, [q]);

  useStream<Message>("/messages/stream", "message", (message) => {
    // A state filter decides membership anew, which only the server can.
    if (filter.state) client.invalidateQueries({ queryKey: ["messages"] });
    else client.setQueryData(messagesQuery(filter).queryKey, (data) => data && upsert(data, message, filter));
  });

  return (
    <>
      <PageHeader title={t`Messages`} />
      <PageBody>
        <div className={classes.filters}>
          <TextInput
            className={classes.address}
            aria-label={t`Person or text`}
            placeholder={t`Person or text`}
            leftSection={<IconSearch size={15} stroke={1.75} aria-hidden />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Select
            className={classes.filter}
            aria-label={t`State`}
            placeholder={t`Any state`}
            clearable
            clearButtonProps={{ "aria-label": t`Clear` }}
            data={messageStates.map((value) => ({ value, label: stateWord(value) }))}
            value={search.state ?? null}
            onChange={(state) => onSearch({ ...search, state: (state as MessageState) ?? undefined })}
          />
          <Select
            className={classes.filter}
            aria-label={t`Funnel`}
            placeholder={t`All funnels`}
            clearable
            clearButtonProps={{ "aria-label": t`Clear` }}
            data={funnels.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={search.funnel ?? null}
            onChange={(funnel) => onSearch({ ...search, funnel: funnel ?? undefined })}
          />
        </div>
        <Panel flush label={t`Messages`}>
          {list.error ? (
            <Failure error={list.error} reset={() => list.refetch()} compact />
          ) : list.isPending ? (
            <RowSkeletons rows={8} />
          ) : messages.length === 0 && filtered ? (
            <Empty
              compact
              family="plain"
              icon={IconSearch}
              title={t`No message fits`}
              action={
                <Button
                  onClick={() => {
                    setTyped("");
                    onSearch({});
                  }}
                >
                  {t`Clear filters`}
                </Button>
              }
            />
          ) : messages.length === 0 ? (
            <Empty
              icon={IconMail}
              title={t`Every message and what became of it`}
              text={t`As soon as a funnel writes to somebody, you see here whether it left, and if not, why.`}
            />
          ) : (
            <Rows
              tall
              lively
              fixed
              heads={[
                { label: t({ context: "recipient", message: "To" }) },
                { label: t`Subject` },
                { label: t`Funnel` },
                { label: t`State` },
                { label: t`When`, kind: "moment", width: 170 },
              ]}
            >
              {messages.map((message) => (
                <MessageRow key={message.id} message={message} />
              ))}
            </Rows>
          )}
          <MoreRows query={list} />
        </Panel>
      </PageBody>
    </>
  );
}

function MessageRow({ message }: { message: Message }) {
  const { t } = useLingui();
  const sourceOf = useSource();
  const format = useFormat();
  const { outcome, reasonWord } = useMessageWords();
  const { icon: Sign, tone, word } = outcome(message);
  return (
    <Row data-testid={`message-${message.to}`}>
      <div>
        <span className={`${classes.name} cut`}>{message.contact?.name || message.to}</span>
        {message.contact?.name && <span className={`${classes.second} cut`}>{message.to}</span>}
      </div>

      <Link to="/inbox" search={{ message: message.id }} className={`${classes.subject} cut`}>
        {message.subject || message.node_name || t`No subject`}
      </Link>

      <div>
        <span className={`${classes.block} cut`}>{sourceOf(message)}</span>
        {message.node_name && <span className={`${classes.second} cut`}>{message.node_name}</span>}
      </div>

      <div>
        <Badge data-tone={tone} leftSection={<Sign size={12} stroke={2} aria-hidden />}>
          {word}
        </Badge>
        {message.reason && <span className={classes.second}>{reasonWord(message.reason)}</span>}
      </div>

      {format.moment(message.sent_at ?? message.due_at ?? message.created_at)}
    </Row>
  );
}
