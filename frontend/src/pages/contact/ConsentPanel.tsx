import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { topicsQuery } from "@/api/inbound";
import { type ConsentState, type Contact, consentsQuery, putConsent } from "@/api/people";
import { useCan } from "@/api/session";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { ConsentProof } from "./ConsentProof";
import { type Channel, linesOf } from "./consents";
import classes from "./person.module.css";

/** What a person agreed to, channel by channel and topic by topic, since when and where they said so. */
export function ConsentPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const consents = useQuery(consentsQuery(person.id));
  const topics = useQuery(topicsQuery);

  const channelName: Record<string, string> = {
    email: t`Marketing by e-mail`,
    sms: t`Marketing by SMS`,
    push: t`Push messages`,
    letter: t`Letters`,
    whatsapp: t`WhatsApp`,
  };
  const stateName: Record<ConsentState, string> = { granted: t`Agreed`, denied: t`Refused`, unknown: t`Not asked` };

  const lines = linesOf(consents.data ?? [], topics.data ?? []);

  const change = async (channel: Channel, topic: string, state: ConsentState) => {
    try {
      await putConsent(person.id, {
        channel,
        state,
        source: "by hand",
        ...(topic ? { topic } : {}),
      });
      await client.invalidateQueries({ queryKey: ["contact", person.id] });
      toast.show({ title: t`Consent is recorded` });
    } catch (error) {
      toast.failed(error);
    }
  };

  return (
    <Panel title={t`Consents`}>
      {consents.error ? (
        <Failure error={consents.error} reset={() => consents.refetch()} compact />
      ) : consents.isPending ? (
        <RowSkeletons rows={1} />
      ) : (
        lines.map(({ channel, topic, name: topicName, state, source, at }) => {
          const of = channelName[channel] ?? channel;
          const name = topic ? t`${of}: ${topicName}` : of;
          const untold = topic ? t`As the channel` : stateName.unknown;
          return (
            <div
              key={`${channel} ${topic}`}
              className={classes.consent}
              data-topic={topic || undefined}
              data-testid={topic ? `consent-${channel}-${topic}` : `consent-${channel}`}
            >
              <span className={classes.consentText}>
                {topic ? topicName : of}
                {at && <small>{source ? t`${format.day(at)}, ${source}` : format.day(at)}</small>}
              </span>
              <Select
                size="sm"
                className={classes.consentChoice}
                aria-label={name}
                disabled={!can("contacts.write")}
                data={(["granted", "denied", "unknown"] as const).map((value) => ({
                  value,
                  label: value === "unknown" ? untold : stateName[value],
                }))}
                value={state}
                onChange={(value) => value && change(channel, topic, value as ConsentState)}
              />
            </div>
          );
        })
      )}
      <ConsentProof id={person.id} channelName={channelName} stateName={stateName} />
    </Panel>
  );
}
