import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, SegmentedControl, Tabs } from "@mantine/core";
import { IconArrowLeft, IconDeviceDesktop, IconDeviceMobile, IconMoon, IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { letterQuery, type MessageDetail, messageQuery } from "@/api/messages";
import { LetterPage, PushCard, TextBubble } from "@/mail/frames";
import { CopyText } from "@/ui/CopyText";
import { Face } from "@/ui/Face";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { editorOf } from "@/ui/links";
import { useMessageWords } from "@/ui/messageWords";
import { PageSkeleton } from "@/ui/Skeletons";
import { useSource } from "@/ui/useSource";
import { ActAs } from "./ActAs";
import { FilledIn } from "./FilledIn";
import classes from "./inbox.module.css";
import { MailFrame, type Paper } from "./MailFrame";
import { isOwnPage, isTracked } from "./ownPages";
import { Trail } from "./Trail";
import { useAct } from "./useAct";

export function MessageView({ id, onBack }: { id: string; onBack: () => void }) {
  const { data, error, refetch } = useQuery(messageQuery(id));
  if (error)
    return (
      <div className={classes.nothing}>
        <Failure error={error} reset={() => refetch()} />
      </div>
    );
  if (!data) return <PageSkeleton />;
  return <Reading detail={data} onBack={onBack} />;
}

function Reading({ detail, onBack }: { detail: MessageDetail; onBack: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const sourceOf = useSource();
  const { message } = detail;
  const [tab, setTab] = useState<string | null>("rendered");
  const name = message.contact?.name ?? "";
  return (
    <section className={classes.view} aria-label={t`Message`}>
      <header className={classes.head}>
        <div className={classes.headline}>
          <ActionIcon className={classes.back} aria-label={t`Back to the list`} onClick={onBack}>
            <IconArrowLeft size={18} stroke={1.75} aria-hidden />
          </ActionIcon>
          <h2>{message.subject || message.node_name || message.source_name || t`No subject`}</h2>
          {message.funnel_id && (
            <Button
              size="sm"
              leftSection={<IconSitemap size={14} stroke={1.75} aria-hidden />}
              renderRoot={(props) => <Link {...editorOf(message.funnel_id ?? "", message.node)} {...props} />}
            >
              {t`Show in funnel`}
            </Button>
          )}
        </div>
        <div className={classes.whom}>
          <Face name={name} seed={message.contact?.id} size={20} />
          <span>
            {message.contact ? (
              <Link to="/people/$id" params={{ id: message.contact.id }}>
                {name || message.to || message.contact.email || t`No name`}
              </Link>
            ) : null}{" "}
            {name || !message.contact ? message.to : null}
          </span>
          <span className="num">{format.moment(message.sent_at ?? message.created_at)}</span>
          <span>{[sourceOf(message), message.node_name].filter(Boolean).join(", ")}</span>
        </div>
        <Tabs value={tab} onChange={setTab}>
          <Tabs.List>
            <Tabs.Tab value="rendered">{t`Rendered`}</Tabs.Tab>
            <Tabs.Tab value="text">{t`Text`}</Tabs.Tab>
            <Tabs.Tab value="headers">{t`Headers`}</Tabs.Tab>
            <Tabs.Tab value="links" rightSection={<span className="meta num">{message.links.length}</span>}>
              {t`Links`}
            </Tabs.Tab>
          </Tabs.List>
        </Tabs>
      </header>
      <div className={classes.body}>
        <div className={classes.ground}>
          {tab === "rendered" &&
            (message.channel === "email" && detail.html ? <Rendered detail={detail} /> : <Framed detail={detail} />)}
          {tab === "text" && <pre className={classes.plain}>{detail.text}</pre>}
          {tab === "headers" && <Headers detail={detail} />}
          {tab === "links" && <Links detail={detail} />}
        </div>
        <aside className={classes.side}>
          {detail.message.sent_at && <ActAs detail={detail} />}
          <Trail detail={detail} />
          <FilledIn values={detail.values} />
        </aside>
      </div>
    </section>
  );
}

/** What is no e-mail, as the phone, the device or the envelope shows it. */
function Framed({ detail }: { detail: MessageDetail }) {
  if (detail.letter) return <Letter id={detail.message.id} />;
  if (detail.push) return <PushCard push={detail.push} />;
  if (!detail.text) return <Unwritten detail={detail} />;
  return <TextBubble text={detail.text} parts={detail.sms} />;
}

/** A message that was held back before it was written: why. */
function Unwritten({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const { reasonWord } = useMessageWords();
  const { reason } = detail.message;
  return (
    <p className={classes.none}>
      {detail.message.state === "queued" ? t`It waits.` : t`Nothing was written, because it was not sent.`}
      {reason && <b>{reasonWord(reason)}</b>}
      {detail.reserve_closed && (
        <span data-testid="reserve-closed">
          {t`The reserve cannot take it over: nothing that ${detail.reserve_closed} publishes speaks for it. See Settings, Sending.`}
        </span>
      )}
    </p>
  );
}

function Letter({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(letterQuery(id));
  if (error) return <Failure error={error} reset={() => refetch()} compact />;
  return data ? <LetterPage page={data} name={`${id}.pdf`} /> : <PageSkeleton />;
}

function Rendered({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const [paper, setPaper] = useState<Paper>("computer");
  const act = useAct(detail.message);
  const icon = { size: 14, stroke: 1.75, "aria-hidden": true } as const;
  const follow = (href: string) => {
    if (!isOwnPage(href) && (isTracked(href) || detail.message.links.some((link) => link.url === href)))
      act.mutate({ act: "click", url: href });
    else if (/^https?:/.test(href)) window.open(href, "_blank", "noopener");
  };
  return (
    <>
      <div className={classes.paperBar}>
        <span className="meta cut">{detail.message.preheader}</span>
        <SegmentedControl
          aria-label={t`Show as on`}
          value={paper}
          onChange={(value) => setPaper(value as Paper)}
          data={[
            { value: "computer", label: label(<IconDeviceDesktop {...icon} />, t`Computer`) },
            { value: "phone", label: label(<IconDeviceMobile {...icon} />, t`Phone`) },
            { value: "dark", label: label(<IconMoon {...icon} />, t`Dark`) },
          ]}
        />
      </div>
      <MailFrame html={detail.html} paper={paper} title={detail.message.subject} onLink={follow} />
    </>
  );
}

const label = (icon: React.ReactNode, word: string) => (
  <span className={classes.paperChoice}>
    {icon}
    {word}
  </span>
);

function Headers({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const lines: [string, string][] = [
    ...(detail.from ? [["From", detail.from] as [string, string]] : []),
    ...(detail.reply_to ? [["Reply-To", detail.reply_to] as [string, string]] : []),
    ...Object.entries(detail.headers),
  ];
  const shown = new Map(lines);
  return (
    <table className={classes.headers}>
      <caption className="visually-hidden">{t`Headers`}</caption>
      <tbody>
        {[...shown].map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Links({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const { links } = detail.message;
  if (links.length === 0) return <p className={classes.none}>{t`There is no link in this message.`}</p>;
  return (
    <ul className={classes.links}>
      {links.map(({ url, label: word }) => (
        <li key={`${word} ${url}`}>
          <b>{word || t`No words`}</b>
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
          <CopyText value={url} label={t`Copy the address of “${word || url}”`} />
        </li>
      ))}
    </ul>
  );
}
