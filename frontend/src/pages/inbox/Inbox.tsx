import { Plural, useLingui } from "@lingui/react/macro";
import { IconInbox } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type Message, messageQuery, messagesQuery } from "@/api/messages";
import { useStream } from "@/api/stream";
import { PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { holdsText, splitSearch } from "@/ui/messageSearch";
import { InboxList } from "./InboxList";
import classes from "./inbox.module.css";
import { MessageView } from "./MessageView";
import { upsert } from "./upsert";

export interface InboxSearch {
  message?: string;
  q?: string;
  funnel?: string;
}

interface InboxProps {
  search: InboxSearch;
  onSearch: (search: InboxSearch) => void;
}

/** Every message as it would have left; new ones appear by themselves. */
export function Inbox({ search, onSearch }: InboxProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { to, text } = splitSearch(search.q ?? "");
  const filter = { ...(to ? { to } : {}), ...(search.funnel ? { funnel: search.funnel } : {}) };
  const list = useInfiniteQuery(messagesQuery(filter));
  const messages = (list.data?.pages.flatMap((page) => page.items) ?? []).filter(
    (message) => wouldHaveLeft(message) && holdsText(message, text),
  );

  useStream<Message>(
    "/messages/stream",
    "message",
    (message) => {
      client.setQueryData(messagesQuery(filter).queryKey, (data) => data && upsert(data, message, filter));
      client.invalidateQueries({ queryKey: messageQuery(message.id).queryKey });
    },
    () => client.invalidateQueries({ queryKey: ["messages"] }),
  );

  return (
    <div className={classes.page}>
      <PageHeader
        bar
        title={t`Test inbox`}
        meta={
          messages.length > 0 && !list.hasNextPage ? (
            <Plural
              value={messages.length}
              one="# message as it would have left"
              other="# messages as they would have left"
            />
          ) : (
            t`messages as they would have left`
          )
        }
      />
      <div className={classes.columns} data-reading={search.message ? true : undefined}>
        <InboxList list={list} messages={messages} search={search} onSearch={onSearch} />
        {search.message ? (
          <MessageView
            key={search.message}
            id={search.message}
            onBack={() => onSearch({ ...search, message: undefined })}
          />
        ) : (
          <div className={classes.nothing}>
            <Empty
              icon={IconInbox}
              family="plain"
              title={t`Choose a message`}
              text={t`Read it as the person would, then open, click or reply in their place and see what the funnel does.`}
            />
          </div>
        )}
      </div>
    </div>
  );
}

/** What is still in line, or was held back, is under Messages; what really left is not a test. */
const wouldHaveLeft = (message: Message) => message.provider === "sandbox";
