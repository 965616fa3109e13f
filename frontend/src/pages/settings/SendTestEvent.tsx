import { useLingui } from "@lingui/react/macro";
import { Autocomplete, Button, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconBolt } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type EventOutcome, eventNamesQuery, sendEvent } from "@/api/events";
import { contactRunsQuery } from "@/api/people";
import { useSession } from "@/api/session";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { SkipWait } from "@/ui/SkipWait";
import { useRefusal } from "@/ui/useRefusal";
import { useTexts } from "@/ui/useTexts";
import { parseProperties } from "./properties";
import { Reaction } from "./Reaction";
import classes from "./settings.module.css";

/** Sends an event as the customer's application would, and says what it did. */
export function SendTestEvent() {
  const { t } = useLingui();
  const { user } = useSession();
  const { event } = useSearch({ from: "/settings/api" });
  const client = useQueryClient();
  const names = useQuery(eventNamesQuery);
  const [outcome, setOutcome] = useState<EventOutcome>();
  const form = useForm({
    initialValues: { name: event ?? "", email: user.email, properties: "" },
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

  const submit = form.onSubmit(async ({ name, email, properties }) => {
    forgive();
    setOutcome(undefined);
    try {
      const { results } = await sendEvent({
        name: name.trim(),
        contact: { email: email.trim() },
        properties: parseProperties(properties) ?? {},
        source: "test",
      });
      setOutcome(results[0]);
      for (const key of ["events", "event-names", "people", "funnels"]) client.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <Panel title={t`Send a test event`}>
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
          />
        </div>
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
          <Button
            type="submit"
            loading={form.submitting}
            leftSection={<IconBolt size={15} stroke={1.75} aria-hidden />}
          >
            {t`Send the event`}
          </Button>
        </div>
        {outcome && <Outcome outcome={outcome} />}
      </form>
    </Panel>
  );
}

function Outcome({ outcome }: { outcome: EventOutcome }) {
  const { t } = useLingui();
  const titles = {
    accepted: t`The event was taken`,
    duplicate: t`This event was here before and is counted once`,
    rejected: t`The event was refused`,
  };
  return (
    <div
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
