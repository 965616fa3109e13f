import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ConsentState, type Contact, consentsQuery, putConsent } from "@/api/people";
import { useCan } from "@/api/session";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { ConsentProof } from "./ConsentProof";
import classes from "./person.module.css";

type Channel = "email" | "sms" | "push" | "letter" | "whatsapp";

/** What a person agreed to, since when and where they said so. */
export function ConsentPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const consents = useQuery(consentsQuery(person.id));

  const channelName: Record<string, string> = {
    email: t`Marketing by e-mail`,
    sms: t`Marketing by SMS`,
    push: t`Push messages`,
    letter: t`Letters`,
    whatsapp: t`WhatsApp`,
  };
  const stateName: Record<ConsentState, string> = { granted: t`Agreed`, denied: t`Refused`, unknown: t`Not asked` };

  // E-mail is what funnels send; it is shown even before anybody said anything.
  const known = consents.data ?? [];
  const lines = known.some((consent) => consent.channel === "email" && consent.topic === "")
    ? known
    : [{ channel: "email", topic: "", state: "unknown" as const, source: "", at: "" }, ...known];

  const change = async (channel: string, topic: string, state: ConsentState) => {
    try {
      await putConsent(person.id, {
        channel: channel as Channel,
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
        lines.map(({ channel, topic, state, source, at }) => {
          const name = topic ? t`${channelName[channel] ?? channel}: ${topic}` : (channelName[channel] ?? channel);
          return (
            <div key={`${channel} ${topic}`} className={classes.consent}>
              <span className={classes.consentText}>
                {name}
                {at && <small>{source ? t`${format.day(at)}, ${source}` : format.day(at)}</small>}
              </span>
              <Select
                size="sm"
                className={classes.consentChoice}
                aria-label={name}
                disabled={!can("contacts.write")}
                data={(["granted", "denied", "unknown"] as const).map((value) => ({ value, label: stateName[value] }))}
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
