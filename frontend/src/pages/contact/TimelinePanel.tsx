import { useLingui } from "@lingui/react/macro";
import { type Icon, IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { type Contact, timelineQuery } from "@/api/people";
import { byDay } from "@/ui/byDay";
import { useChannelName } from "@/ui/channels";
import { Empty } from "@/ui/Empty";
import { signOf, useEventWord, usePropertiesLine } from "@/ui/eventWords";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { useMessageWords } from "@/ui/messageWords";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useDayName } from "@/ui/useDayName";
import { useSource } from "@/ui/useSource";
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

/** Props by which the server ties an event to its run or message; a reader has the links instead. */
const ties = ["run", "message", "funnel", "step", "funnel_slug"];

/** One line of a timeline in words: what, and why or with what. */
function useDescribe() {
  const { t } = useLingui();
  const eventWord = useEventWord();
  const propertiesLine = usePropertiesLine();
  const channelName = useChannelName();
  const endReason = useEndReason();
  const { reasonWord } = useMessageWords();
  const sourceOf = useSource();

  return (item: Item): { icon: Icon; family: string; what: ReactNode; why?: ReactNode } => {
    const sign = signOf(item.name);
    const funnel = item.funnel_name ?? "";
    const properties = Object.fromEntries(Object.entries(item.detail).filter(([key]) => !ties.includes(key)));
    if (item.message_id) {
      const subject = item.title || text(item.detail.subject);
      const word = subject ? t`${eventWord(item.name)}: ${subject}` : eventWord(item.name);
      return {
        ...sign,
        what: (
          <Link to="/inbox" search={{ message: item.message_id }}>
            {word}
          </Link>
        ),
        why: item.reason ? reasonWord(item.reason) : text(item.detail.url) || sourceOf(item) || funnel,
      };
    }
    if (item.kind === "run") {
      const reason = text(item.detail.reason);
      if (item.name === "run_ended")
        return { ...sign, what: t`Left “${funnel}”`, why: reason ? endReason(reason) : undefined };
      if (item.name === "run_started") return { ...sign, what: t`Entered “${funnel}”` };
      return { ...sign, what: eventWord(item.name), why: funnel };
    }
    if (item.name === "consent_changed") {
      const states: Record<string, string> = { granted: t`Agreed`, denied: t`Refused`, unknown: t`Not asked` };
      const topic = text(item.detail.topic) || channelName(text(item.detail.channel));
      return { ...sign, what: eventWord(item.name), why: t`${topic}: ${states[text(item.detail.state)] ?? ""}` };
    }
    if (item.name === "tag_added" || item.name === "tag_removed")
      return { ...sign, what: t`${eventWord(item.name)}: ${text(item.detail.tag)}` };
    return { ...sign, what: eventWord(item.name), why: propertiesLine(properties) || funnel };
  };
}
