import { useLingui } from "@lingui/react/macro";
import { Button, NumberInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus, IconTopologyStar3 } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { consentSettingsQuery } from "@/api/consent";
import { topicsQuery } from "@/api/inbound";
import { useCan } from "@/api/session";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { Refusals } from "./Refusals";
import classes from "./settings.module.css";

/** What people can subscribe to, and whom nothing is sent to. */
export function ConsentSettings() {
  return (
    <>
      <Topics />
      <Refusals />
      <Rules />
    </>
  );
}

function Topics() {
  const { t } = useLingui();
  const write = useCan()("contacts.write");
  const topics = useQuery(topicsQuery);
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      title={t`Topics`}
      flush
      actions={
        write && (
          <Button
            size="sm"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            onClick={() => setAdding((open) => !open)}
            aria-expanded={adding}
          >
            {t`Add a topic`}
          </Button>
        )
      }
    >
      {adding && <TopicForm onDone={() => setAdding(false)} />}
      {topics.error ? (
        <Failure error={topics.error} reset={() => topics.refetch()} compact />
      ) : topics.isPending ? (
        <RowSkeletons rows={2} />
      ) : topics.data.length === 0 && !adding ? (
        <Empty
          compact
          icon={IconTopologyStar3}
          title={t`One topic for all`}
          text={t`With topics, such as news and offers, people leave one and keep the other, instead of leaving everything.`}
        />
      ) : (
        topics.data.map((topic) => (
          <div key={topic.slug} className={classes.line} data-testid={`topic-${topic.slug}`}>
            <span className={classes.lineText}>
              {topic.name}
              <small>{topic.slug}</small>
            </span>
          </div>
        ))
      )}
    </Panel>
  );
}

function TopicForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name: "", description: "" },
    validate: { name: (value) => (value.trim() ? null : t`Name the topic.`) },
  });
  const { refusal, refuse, forgive } = useRefusal(form, { slug: "name" });
  const submit = form.onSubmit(async ({ name, description }) => {
    forgive();
    try {
      await ask(api.POST("/topics", { body: { name: name.trim(), description: description.trim() } }));
      await client.invalidateQueries({ queryKey: topicsQuery.queryKey });
      onDone();
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <div className={classes.line}>
      <form className={classes.form} onSubmit={submit} style={{ flex: 1 }}>
        <TextInput label={t`Name`} placeholder={t`News`} data-autofocus {...form.getInputProps("name")} />
        <TextInput
          label={t`What it is about, in one sentence`}
          description={t`People read it on the page where they choose what they get.`}
          {...form.getInputProps("description")}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <div className={classes.buttons}>
          <Button type="submit" variant="filled" loading={form.submitting}>
            {t`Save the topic`}
          </Button>
          <Button variant="subtle" onClick={onDone}>
            {t`Cancel`}
          </Button>
        </div>
      </form>
    </div>
  );
}

function Rules() {
  const { t } = useLingui();
  const write = useCan()("workspace.write");
  const client = useQueryClient();
  const toast = useToast();
  const { data, error, refetch } = useQuery(consentSettingsQuery);
  const [bounces, setBounces] = useState<number | string>();
  const save = async () => {
    try {
      const saved = await ask(api.PUT("/consent-settings", { body: { soft_bounces: Number(bounces) } }));
      client.setQueryData(consentSettingsQuery.queryKey, saved);
      setBounces(undefined);
      toast.show({ title: t`The rule is saved` });
    } catch (failure) {
      toast.failed(failure);
    }
  };
  return (
    <Panel title={t`What is refused by itself`}>
      {error ? (
        <Failure error={error} reset={() => refetch()} compact />
      ) : !data ? (
        <RowSkeletons rows={2} />
      ) : (
        <div className={classes.form}>
          <p className={classes.lead}>
            {t`Addresses that do not exist, and those of people who called a message spam, are refused at once. A mailbox that is full for a while gets more chances.`}
          </p>
          <NumberInput
            label={t`Messages in a row an address may refuse for a while`}
            min={1}
            max={50}
            disabled={!write}
            value={bounces ?? data.soft_bounces}
            onChange={setBounces}
          />
          {bounces !== undefined && Number(bounces) !== data.soft_bounces && (
            <div className={classes.buttons}>
              <Button variant="filled" disabled={!Number(bounces)} onClick={save}>
                {t`Save the rule`}
              </Button>
            </div>
          )}
          <p className="meta">
            {t`Texts that unsubscribe somebody from text messages:`} {data.stop_words.join(", ")}
          </p>
        </div>
      )}
    </Panel>
  );
}
