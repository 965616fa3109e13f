import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type CampaignProgress, type Recipient, type RecipientFilter, recipientsQuery } from "@/api/campaigns";
import { Empty } from "@/ui/Empty";
import { Face } from "@/ui/Face";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import classes from "./campaigns.module.css";
import { useReasonWord } from "./useWords";

interface RecipientsProps {
  id: string;
  progress: CampaignProgress;
  moving: boolean;
}

/** The frozen audience, person by person. */
export function Recipients({ id, progress, moving }: RecipientsProps) {
  const { t } = useLingui();
  const format = useFormat();
  const [state, setState] = useState<RecipientFilter>();
  const words = useStateWords();
  const list = useInfiniteQuery({
    ...recipientsQuery(id, state),
    placeholderData: keepPreviousData,
    refetchInterval: moving ? 4000 : false,
  });
  const people = list.data?.pages.flatMap((page) => page.items) ?? [];
  const { tally } = progress;
  const counted = Object.keys(words).filter(
    (key) => key === state || (key in tally && tally[key as keyof typeof tally] > 0),
  );
  return (
    <Panel
      flush
      title={t`Recipients`}
      meta={format.number(progress.total)}
      actions={
        <Select
          size="sm"
          w={190}
          aria-label={t`Show`}
          placeholder={t`Everybody`}
          clearable
          value={state ?? null}
          data={counted.map((value) => ({
            value,
            label: `${words[value as RecipientFilter]} (${format.number(tally[value as keyof typeof tally])})`,
          }))}
          onChange={(value) => setState((value as RecipientFilter) ?? undefined)}
        />
      }
    >
      {list.error ? (
        <Failure error={list.error} reset={() => list.refetch()} compact />
      ) : list.isPending ? (
        <RowSkeletons rows={6} />
      ) : people.length === 0 ? (
        <Empty compact family="plain" icon={IconUsers} title={t`Nobody`} />
      ) : (
        <Rows
          lively
          heads={[
            { label: t`Name` },
            { label: t`Address`, kind: "address" },
            { label: t`What became of it` },
            { label: t`When`, kind: "moment" },
          ]}
        >
          {people.map((one) => (
            <RecipientRow key={one.contact_id} recipient={one} several={progress.variants.length > 1} />
          ))}
        </Rows>
      )}
      <MoreRows query={list} />
    </Panel>
  );
}

function RecipientRow({ recipient: one, several }: { recipient: Recipient; several: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const words = useStateWords();
  const reason = useReasonWord();
  const furthest = one.unsubscribed_at
    ? words.unsubscribed
    : one.bounced_at
      ? words.bounced
      : one.clicked_at
        ? words.clicked
        : one.opened_at
          ? words.opened
          : words[one.state === "sending" ? "queued" : one.state];
  const at = one.unsubscribed_at ?? one.bounced_at ?? one.clicked_at ?? one.opened_at ?? one.sent_at ?? one.due_at;
  return (
    <Row>
      <Link to="/people/$id" params={{ id: one.contact_id }} className={classes.person}>
        <Face name={one.name} seed={one.contact_id} />
        <span className="cut">{one.name || t`No name`}</span>
      </Link>
      <span className="cut meta">{one.email ?? one.phone ?? "–"}</span>

      <div>
        {furthest}
        {several && one.variant ? <span className="meta"> · {one.variant.toUpperCase()}</span> : null}
        {one.reason ? <span className="meta"> · {reason(one.reason)}</span> : null}
      </div>

      {format.moment(at)}
    </Row>
  );
}

function useStateWords(): Record<RecipientFilter, string> {
  const { t } = useLingui();
  return {
    waiting: t`Waiting`,
    queued: t`Leaving now`,
    held: t`Held`,
    sent: t`Sent`,
    delivered: t`Delivered`,
    opened: t`Opened`,
    clicked: t`Clicked`,
    bounced: t`Bounced`,
    unsubscribed: t`Unsubscribed`,
    failed: t`Failed`,
    skipped: t`Not sent`,
    expired: t`Too late, not sent`,
    unknown: t`Perhaps sent`,
  };
}
