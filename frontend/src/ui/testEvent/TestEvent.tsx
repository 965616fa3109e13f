import { useLingui } from "@lingui/react/macro";
import { Autocomplete, Button, Checkbox, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBolt } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type EventOutcome, eventNamesQuery, sendEvent } from "@/api/events";
import { contactRunsQuery } from "@/api/people";
import { useSession } from "@/api/session";
import { useFormat } from "@/ui/format";
import { SkipWait } from "@/ui/SkipWait";
import { useRefusal } from "@/ui/useRefusal";
import { useTexts } from "@/ui/useTexts";
import { type MayMail, mayMailQuery } from "./mayMail";
import { parseProperties } from "./properties";
import { Reaction } from "./Reaction";
import classes from "./testEvent.module.css";

interface TestEventProps {
  /** The event to begin with. */
  event?: string;
}

/** Sends an event as the customer's application would, says what it did, and beforehand whether the person will get mail at all. */
export function TestEvent({ event }: TestEventProps) {
  const { t } = useLingui();
  const { user } = useSession();
  const client = useQueryClient();
  const names = useQuery(eventNamesQuery);
  const [outcome, setOutcome] = useState<EventOutcome>();
  const form = useForm({
    initialValues: { name: event ?? "", email: user.email, properties: "", agrees: true },
    validate: {
      name: (value) =>
        /^[a-z][a-z0-9_.]{0,63}$/.test(value.trim())
          ? null
          : t`Use small Latin letters, digits, dots and underscores, such as order_placed.`,
      properties: (value) =>
        parseProperties(value) ? null : t`Write an object in JSON, such as {"total": 120}, or leave it empty.`,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form, {
    "contact.email": "email",
    contact: "email",
    "events.0.name": "name",
  });
  const [email] = useDebouncedValue(form.values.email.trim(), 250);
  const may = useQuery(mayMailQuery(email));
  // Nobody agrees for somebody else: only one's own address is ticked beforehand.
  const change = (value: string) => form.setValues({ email: value, agrees: value.trim() === user.email });

  const submit = form.onSubmit(async (values) => {
    forgive();
    setOutcome(undefined);
    try {
      const agrees = may.data === "not_asked" && values.agrees;
      const { results } = await sendEvent({
        name: values.name.trim(),
        contact: {
          email: values.email.trim(),
          ...(agrees ? { consents: [{ channel: "email", state: "granted", source: "test" }] } : {}),
        },
        properties: parseProperties(values.properties) ?? {},
        source: "test",
      });
      setOutcome(results[0]);
      for (const key of ["events", "event-names", "people", "contact", "funnels", "may-mail"])
        client.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <form className={classes.form} onSubmit={submit}>
      <div className={classes.pair}>
        <Autocomplete
          label={t`Event`}
          placeholder="order_placed"
          data={names.data?.filter((name) => !name.internal).map(({ name }) => name) ?? []}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t`Whose it is, by e-mail`}
          type="email"
          required
          withAsterisk={false}
          {...form.getInputProps("email")}
          onChange={(e) => change(e.currentTarget.value)}
        />
      </div>
      <Consent may={may.data} email={email} input={form.getInputProps("agrees", { type: "checkbox" })} />
      <Textarea
        label={t`Properties, if there are any`}
        placeholder='{"total": 120}'
        autosize
        minRows={2}
        styles={{ input: { fontFamily: "var(--mono)", fontSize: 13 } }}
        {...form.getInputProps("properties")}
      />
      {refusal && (
        <p className={classes.refusal} role="alert">
          {refusal}
        </p>
      )}
      <div className={classes.buttons}>
        <Button type="submit" loading={form.submitting} leftSection={<IconBolt size={15} stroke={1.75} aria-hidden />}>
          {t`Send the event`}
        </Button>
      </div>
      {outcome && <Outcome key={outcome.id} outcome={outcome} />}
    </form>
  );
}

interface ConsentProps {
  may?: MayMail;
  email: string;
  input: object;
}

/** Whether mail will reach the person: who has not agreed gets none, and whoever tries a funnel should know before. */
function Consent({ may, email, input }: ConsentProps) {
  const { t } = useLingui();
  if (may === "left")
    return (
      <p className={classes.notice}>{t`${email} has left: marketing mail is not sent to them. Try somebody else.`}</p>
    );
  if (may !== "not_asked") return null;
  return (
    <Checkbox
      label={t`${email} agrees to get e-mail`}
      description={t`They have not been asked yet. Without it, marketing mail is not sent to them.`}
      {...input}
    />
  );
}

function Outcome({ outcome }: { outcome: EventOutcome }) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers answer with a promise, which would be taken for what ends the effect.
    void box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const titles = {
    accepted: t`The event was taken`,
    duplicate: t`This event was here before and is counted once`,
    rejected: t`The event was refused`,
  };
  return (
    <div
      ref={box}
      className={classes.reaction}
      data-tone={
        outcome.status === "rejected" ? "error" : outcome.started?.length || outcome.woke?.length ? "ok" : undefined
      }
      role="status"
      data-testid="outcome"
    >
      <b>{titles[outcome.status]}</b>
      {outcome.status === "accepted" && <Reaction of={{ ...outcome, reason: "nothing_listens" }} />}
      {outcome.status === "rejected" && outcome.reason}
      {outcome.contact_id && <WhereNow contact={outcome.contact_id} />}
      {outcome.contact_id && (
        <span className={classes.links}>
          <Link to="/inbox">{t`Test inbox`}</Link>
          <Link to="/people/$id" params={{ id: outcome.contact_id }}>{t`The person`}</Link>
        </span>
      )}
    </div>
  );
}

/** Where the person stands in each funnel, so that one who tries it can go on from there. */
function WhereNow({ contact }: { contact: string }) {
  const { t } = useLingui();
  const format = useFormat();
  const texts = useTexts();
  // The worker moves a run a moment after the event.
  const runs = useQuery({ ...contactRunsQuery(contact), refetchInterval: 3_000, staleTime: 0 });
  const here = runs.data?.filter((run) => run.state === "active") ?? [];
  return here.map((run) => {
    const step = texts(run.node_title);
    return (
      <span key={run.id} className={classes.whereNow}>
        {run.funnel_name}: {run.wake_at ? t`At “${step}” until ${format.moment(run.wake_at)}` : t`At “${step}”`}
        {run.skippable && <SkipWait run={run.id} name={run.contact.name || run.contact.email || ""} />}
      </span>
    );
  });
}
