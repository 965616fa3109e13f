import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useReactionWords } from "@/ui/reactionWords";
import type { SimMessage, Simulation, Visit } from "../answers";
import { api } from "../api";
import { creativeSlug } from "../document";
import { titleOf, viewOfKind } from "../kinds";
import { humanise } from "../sentences";
import s from "../simulation.module.css";
import { select, useEditor, useEditorStore } from "../store";
import type { Step } from "../types";
import { portWord, useTrialWords } from "./words";

/** The message a visit led to: steps are passed more than once, each time with a message of its own. */
function messageOf(result: Simulation, visit: Visit): SimMessage | undefined {
  const visits = result.visits.filter((v) => v.node === visit.node);
  const messages = result.messages.filter((m) => m.node === visit.node);
  return messages[visits.indexOf(visit)] ?? messages[0];
}

export function Day({ date, day }: { date: string; day: number }) {
  const { i18n } = useLingui();
  return (
    <div className={s.day}>
      {i18n.date(new Date(`${date}T12:00:00`), { weekday: "short", day: "numeric", month: "short" })}
      <span>
        <Trans>day {day}</Trans>
      </span>
    </div>
  );
}

export function VisitRow({ visit, zone }: { visit: Visit; zone: string }) {
  const { i18n } = useLingui();
  const store = useEditorStore();
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  const order = useEditor((x) => x.simulation?.order.get(visit.node));
  const result = useEditor((x) => x.simulation?.result);
  const step = doc.graph.nodes.find((n) => n.id === visit.node);
  if (!step) return null;
  const view = viewOfKind(catalogue, step.kind);
  const title = titleOf(step, catalogue, doc);
  const family = catalogue.kind(step.kind).family;
  const message = family === "message" && result ? messageOf(result, visit) : undefined;
  const Icon = view.icon;
  const show = () => {
    select(store, [step.id]);
    store.getState().camera?.centre(step.id, "if-hidden");
  };
  return (
    <button type="button" className={s.event} data-family={family} onClick={show}>
      <time>
        {i18n.date(new Date(visit.at), { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone })}
      </time>
      <span className={s.node}>
        <Icon size={14} stroke={1.75} />
      </span>
      <span>
        <span className={s.what}>
          {step.off ? (
            <Trans>Skipped, turned off:</Trans>
          ) : family === "message" ? (
            message?.skipped ? (
              <Trans>Would not be sent:</Trans>
            ) : (
              <Trans>Would be sent:</Trans>
            )
          ) : null}{" "}
          {family === "message" || step.off ? <i>{title}</i> : title}
          {visit.port && visit.port !== "next" ? <i> · {portWord(catalogue, step, visit.port)}</i> : null}
        </span>
        <Reason detail={visit.detail} zone={zone} />
        {message && <Fate message={message} zone={zone} />}
        {message && <Rendered step={step} subject={message.subject ?? ""} />}
      </span>
      {order !== undefined && <span className={s.number}>{order}</span>}
    </button>
  );
}

/** What a decision was made on, in words: the engine's notes that say something to a marketer, and no others. */
function Reason({ detail, zone }: { detail: Record<string, unknown> | undefined; zone: string }) {
  const { t, i18n } = useLingui();
  if (!detail) return null;
  const texts: string[] = [];
  if (typeof detail.until === "string" && !detail.passed) {
    const when = i18n.date(new Date(detail.until), {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: zone,
    });
    texts.push(t`until ${when}`);
  }
  if (detail.passed) texts.push(t`that moment had passed already, so nobody waits`);
  if (typeof detail.event === "string") {
    const event = humanise(detail.event);
    texts.push(t`because of the event “${event}”`);
  }
  if (detail.already) texts.push(t`they have it already`);
  if (detail.absent) texts.push(t`they do not have it`);
  return texts.length > 0 ? (
    <span className={s.why} style={{ display: "block" }}>
      {texts.join(" · ")}
    </span>
  ) : null;
}

/** Why a message would stay, or leave later, in a sentence. */
function Fate({ message, zone }: { message: SimMessage; zone: string }) {
  const { t, i18n } = useLingui();
  const { skippedWhy } = useTrialWords();
  const when = i18n.date(new Date(message.at), {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
  });
  const why = message.skipped
    ? skippedWhy(message.skipped, message.missing)
    : message.held === "quiet_hours"
      ? t`Quiet hours hold it back; it leaves ${when}.`
      : message.held === "frequency_cap"
        ? t`They have had as many messages as the cap allows; it leaves ${when}.`
        : "";
  return why ? (
    <span className={s.why} style={{ display: "block" }}>
      {why}
    </span>
  ) : null;
}

/** The message as this person would read it that day. */
function Rendered({ step, subject }: { step: Step; subject: string }) {
  const creative = useEditor((x) => x.doc.creatives[creativeSlug(step) ?? ""]);
  const graph = useEditor((x) => x.doc.graph);
  const contact = useEditor((x) => x.simulation?.contact);
  const preview = useQuery({
    queryKey: ["simulated", step.id, creative, contact],
    queryFn: () => api.preview({ creative, node: step.id, graph, ...(contact ? { contact_id: contact } : {}) }),
    enabled: creative !== undefined,
    retry: false,
  });
  const text = preview.data?.text.slice(0, 160) ?? "";
  return (
    <span className={s.mail} style={{ display: "block" }}>
      <b>{subject || preview.data?.subject}</b>
      <p>{text}</p>
    </span>
  );
}

export function Ending() {
  const reactionWord = useReactionWords();
  const result = useEditor((x) => x.simulation?.result);
  const { endWord } = useTrialWords();
  if (!result) return null;
  if (result.refused) {
    const why = reactionWord(result.refused);
    return (
      <p className={s.error}>
        <Trans>This person would not get in: {why}.</Trans>
      </p>
    );
  }
  if (!result.trigger && result.visits.length === 0)
    return (
      <p className={s.error}>
        <Trans>
          Nothing starts the funnel for this person: the supposed event does not meet the trigger's condition.
        </Trans>
      </p>
    );
  return (
    <p className={s.why} style={{ padding: "10px 0" }}>
      {endWord(result.reason ?? "", result.status)}
    </p>
  );
}
