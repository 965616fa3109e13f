import { useLingui } from "@lingui/react/macro";
import { type Icon, IconHistory, IconMail, IconPlayerStop, IconSitemap } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import type { MessageState } from "@/api/messages";
import { type Contact, timelineQuery } from "@/api/people";
import { byDay } from "@/ui/byDay";
import { Empty } from "@/ui/Empty";
import { propertiesLine, signOf, useEventWord } from "@/ui/eventWords";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { messageStates, useMessageWords } from "@/ui/messageWords";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useDayName } from "@/ui/useDayName";
import { useEndReason } from "./endReason";
import classes from "./person.module.css";

type Item = Schemas["TimelineItem"];

export function TimelinePanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const format = useFormat();
  const dayName = useDayName();
  const timeline = useInfiniteQuery(timelineQuery(person.id));
  const items = timeline.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Panel title={t`What happened`} flush>
      {timeline.error ? (
        <Failure error={timeline.error} reset={() => timeline.refetch()} compact />
      ) : timeline.isPending ? (
        <RowSkeletons rows={4} />
      ) : items.length === 0 ? (
        <Empty compact icon={IconHistory} family="plain" title={t`Nothing yet`} />
      ) : (
        <div className={classes.timeline}>
          {byDay(items, (item) => format.dayKey(item.at)).map(({ key, items: ofDay }) => (
            <section key={key}>
              <h3 className={classes.day}>{dayName(ofDay[0]?.at ?? "")}</h3>
              <ol>
                {ofDay.map((item, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two events of one instant differ by their place only
                  <Line key={`${item.at} ${item.kind} ${item.name} ${index}`} item={item} />
                ))}
              </ol>
            </section>
          ))}
        </div>
      )}
      <MoreRows query={timeline} />
    </Panel>
  );
}

function Line({ item }: { item: Item }) {
  const format = useFormat();
  const { icon: Sign, family, what, why } = useDescribe()(item);
  return (
    <li className={classes.item}>
      <time dateTime={item.at}>{format.time(item.at)}</time>
      <span className={classes.dot} data-family={family}>
        <Sign size={13} stroke={1.9} aria-hidden />
      </span>
      <div className={classes.what}>
        {what}
        {why && <span className={classes.why}>{why}</span>}
      </div>
    </li>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** One line of a timeline in words: what, and why or with what. */
function useDescribe() {
  const { t } = useLingui();
  const eventWord = useEventWord();
  const endReason = useEndReason();
  const { stateWord, reasonWord } = useMessageWords();

  return (item: Item): { icon: Icon; family: string; what: ReactNode; why?: ReactNode } => {
    const funnel = item.funnel_name ?? "";
    if (item.kind === "message") {
      const subject = text(item.detail.subject);
      const state = messageStates.includes(item.name as MessageState)
        ? stateWord(item.name as MessageState, text(item.detail.provider) !== "smtp")
        : item.name;
      const reason = text(item.detail.reason);
      const title = subject ? `${state}: ${subject}` : state;
      return {
        icon: IconMail,
        family: item.name === "bounced" || item.name === "failed" ? "error" : "message",
        what: item.message_id ? (
          <Link to="/inbox" search={{ message: item.message_id }}>
            {title}
          </Link>
        ) : (
          title
        ),
        why: [funnel, reason && reasonWord(reason)].filter(Boolean).join(": "),
      };
    }
    if (item.kind === "run") {
      const ended = item.name === "done" || item.name === "exited" || item.name === "run_ended";
      return {
        icon: ended ? IconPlayerStop : IconSitemap,
        family: item.name === "parked" ? "error" : ended ? "plain" : "trigger",
        what: ended
          ? t`Left “${funnel}”`
          : item.name === "parked"
            ? t`Got stuck in “${funnel}”`
            : t`Entered “${funnel}”`,
        why: ended && text(item.detail.reason) ? endReason(text(item.detail.reason)) : undefined,
      };
    }
    return { ...signOf(item.name), what: eventWord(item.name), why: propertiesLine(item.detail) || funnel };
  };
}
