import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Checkbox, Select, TextInput } from "@mantine/core";
import { IconPlayerPlay, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isProblem } from "@/api/problem";
import { useZone } from "@/api/session";
import c from "@/inspector/inspector.module.css";
import { usePeople } from "@/mail/MailPreview";
import { useReactionWords } from "@/ui/reactionWords";
import { api, type Visit } from "./api";
import { creativeSlug } from "./document";
import { titleOf, viewOfKind } from "./kinds";
import { humanise } from "./sentences";
import { viewOf } from "./simulation";
import s from "./simulation.module.css";
import { triggersOf } from "./sizes";
import { select, set, useEditor, useEditorStore } from "./store";
import type { Rule, Step } from "./types";
import { word } from "./words";

/** What would happen to one person: their path on the canvas, and the days here. Nothing is written or sent. */
export function SimulationPanel({ phone }: { phone: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const zone = useZone();
  const [search, setSearch] = useState("");
  const [person, setPerson] = useState<string>();
  const [start, setStart] = useState("");
  const [reaches, setReaches] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const people = usePeople(search);
  const chosen = person ?? people[1]?.value ?? "";
  const view = useEditor((x) => x.simulation);
  const goal = useEditor((x) => x.doc.graph.nodes.find((n) => n.kind === "goal" && n.config.mode !== "rule"));
  const run = async () => {
    setBusy(true);
    setError("");
    const { doc, funnel } = store.getState();
    const begin = start ? new Date(start) : new Date();
    const entry = doc.graph.nodes.find((n) => n.kind === "entry");
    const event = (goal?.config.event as { name?: string } | undefined)?.name;
    const supposed =
      reaches && event ? [{ name: event, at: new Date(begin.getTime() + 26 * 3_600_000).toISOString() }] : [];
    try {
      const result = await api.simulate(funnel.id, {
        graph: doc.graph,
        creatives: doc.creatives,
        ...(chosen ? { contact_id: chosen } : { contact: { email: "nobody@example.com" } }),
        start: begin.toISOString(),
        event: sampleEvent(entry),
        events: supposed,
      });
      set(store, {
        simulation: viewOf(people.find((p) => p.value === chosen)?.label ?? "", result, doc.graph, zone),
        selection: [],
      });
      store.getState().camera?.fit();
    } catch (e) {
      setError((isProblem(e) && e.detail) || t`The simulation could not be run. Try again in a moment.`);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => () => set(store, { simulation: undefined }), [store]);
  const mails = view?.result.messages.filter((m) => !m.skipped).length ?? 0;
  const close = () => set(store, { simulating: false, simulation: undefined });
  return (
    <aside
      className={c.panel}
      style={phone ? undefined : { width: 420 }}
      data-phone={phone}
      aria-label={t`Simulation`}
      data-testid="simulation"
    >
      <header className={s.head}>
        <h2>{view ? <Trans>What would happen to {view.person}</Trans> : <Trans>What would happen to…</Trans>}</h2>
        <ActionIcon size="md" aria-label={t`End simulation`} onClick={close}>
          <IconX size={17} stroke={1.75} />
        </ActionIcon>
      </header>
      <form
        className={s.form}
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        <Select
          label={t`Person`}
          searchable
          data={people}
          value={chosen}
          onSearchChange={setSearch}
          onChange={(v) => setPerson(v ?? "")}
        />
        <div className={c.row}>
          <TextInput
            type="datetime-local"
            label={t`Starts at (empty: now)`}
            value={start}
            onChange={(e) => setStart(e.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={view ? "default" : "filled"}
            loading={busy}
            style={{ alignSelf: "end" }}
            leftSection={<IconPlayerPlay size={15} stroke={1.75} />}
          >
            <Trans>Simulate</Trans>
          </Button>
        </div>
        {goal && (
          <Checkbox
            checked={reaches}
            onChange={(e) => setReaches(e.currentTarget.checked)}
            label={t`Suppose they reach the goal after a day`}
          />
        )}
      </form>
      <div className={s.timeline} data-testid="timeline">
        {error && <p className={s.error}>{error}</p>}
        {view?.days.map((d) => (
          <div key={d.date}>
            <Day date={d.date} day={d.day} />
            {d.visits.map((v) => (
              <VisitRow key={v.seq} visit={v} zone={zone} />
            ))}
          </div>
        ))}
        {!view && !error && (
          <p className={s.why} style={{ paddingTop: 16 }}>
            <Trans>
              Choose a person and simulate: their way lights up on the canvas, and here you read day by day what they
              would get and why.
            </Trans>
          </p>
        )}
        {view && <Ending />}
      </div>
      <p className={s.note}>
        {view ? plural(mails, { one: "# e-mail would be sent.", other: "# e-mails would be sent." }) : null}{" "}
        <Trans>Nothing is written or sent.</Trans>
      </p>
    </aside>
  );
}

/** Properties with which the first trigger would fire: what its condition asks for. */
function sampleEvent(entry: Step | undefined): Record<string, unknown> {
  const props: Record<string, unknown> = {};
  const read = (rule: Rule | undefined): void => {
    if (!rule) return;
    if ("all" in rule) rule.all.forEach(read);
    else if ("any" in rule) read(rule.any[0]);
    else if ("field" in rule && rule.value !== undefined)
      props[rule.field] = typeof rule.value === "number" && rule.op === "gt" ? rule.value + 1 : rule.value;
  };
  read((entry ? triggersOf(entry)[0]?.where : undefined) as Rule | undefined);
  return props;
}

function Day({ date, day }: { date: string; day: number }) {
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

function VisitRow({ visit, zone }: { visit: Visit; zone: string }) {
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
  const message =
    family === "message"
      ? (result?.messages.find((m) => m.node === step.id && m.at === visit.at) ??
        result?.messages.find((m) => m.node === step.id))
      : undefined;
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
          {visit.port && visit.port !== "next" ? <i> · {word(`port.${visit.port}`, visit.port)}</i> : null}
        </span>
        <Reason detail={visit.detail} zone={zone} />
        {message?.skipped && <SkippedWhy skipped={message.skipped} missing={message.missing} />}
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

/** Why a message would stay, in a sentence. */
function SkippedWhy({ skipped, missing }: { skipped: string; missing: string | undefined }) {
  const { t } = useLingui();
  const why: Record<string, string> = {
    no_consent: t`They have not agreed to get it.`,
    missing_value: missing
      ? t`The variable ${missing} has no value for this person, and no text to use instead.`
      : t`A variable has no value for this person, and no text to use instead.`,
  };
  return (
    <span className={s.why} style={{ display: "block" }}>
      {why[skipped] ?? t`Something about this person holds it back.`}
    </span>
  );
}

/** The message as this person would read it that day. */
function Rendered({ step, subject }: { step: Step; subject: string }) {
  const creative = useEditor((x) => x.doc.creatives[creativeSlug(step) ?? ""]);
  const graph = useEditor((x) => x.doc.graph);
  const preview = useQuery({
    queryKey: ["simulated", step.id, creative],
    queryFn: () => api.preview({ creative, node: step.id, graph }),
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

function Ending() {
  const { t } = useLingui();
  const reactionWord = useReactionWords();
  const result = useEditor((x) => x.simulation?.result);
  if (!result) return null;
  const reasons: Record<string, string> = {
    finished: t`That is the end of the way.`,
    goal: t`The goal is reached; the rest is cancelled.`,
    unsubscribed: t`They unsubscribed, so it ends.`,
    loop_limit: t`They would go round and round: a wait is missing.`,
    left: t`A step takes them out of the funnel.`,
    replaced: t`A newer start takes the place of this one.`,
    stopped: t`It is ended by hand.`,
    erased: t`The person is erased, so it ends.`,
    merged: t`The person is merged with another, so it ends here.`,
  };
  const states: Record<string, string> = {
    active: t`They are still waiting there.`,
    done: t`That is the end of the way.`,
    exited: t`They leave the funnel here.`,
    parked: t`It would stop here, until somebody looks at it.`,
    paused: t`It would rest here while the funnel is paused.`,
  };
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
      {reasons[result.reason ?? ""] ?? states[result.status] ?? t`It ends here.`}
    </p>
  );
}
