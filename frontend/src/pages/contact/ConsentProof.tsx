import { useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { consentRecordsQuery } from "@/api/consent";
import { useCan } from "@/api/session";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import classes from "./person.module.css";

interface ProofProps {
  id: string;
  channelName: Record<string, string>;
  stateName: Record<string, string>;
}

/** What proves the consents of a person, and the page where they choose for themselves. */
export function ConsentProof({ id, channelName, stateName }: ProofProps) {
  const { t } = useLingui();
  const can = useCan();
  const toast = useToast();
  const [open, setOpen] = useState(false);
  const page = async () => {
    try {
      const { url } = await ask(api.POST("/contacts/{id}/preference-link", { params: { path: { id } } }));
      await navigator.clipboard.writeText(url);
      toast.show({
        title: t`The link is copied`,
        text: t`Whoever opens it chooses for this person. Send it to nobody else.`,
      });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div className={classes.proofButtons}>
      <Button size="sm" onClick={() => setOpen(true)}>{t`Proof`}</Button>
      {can("contacts.write") && (
        <Button size="sm" variant="subtle" onClick={page}>{t`Copy the preference page`}</Button>
      )}
      {open && (
        <Modal
          opened
          onClose={() => setOpen(false)}
          size={640}
          title={t`Proof of consent`}
          closeButtonProps={{ "aria-label": t`Close` }}
        >
          <Records id={id} channelName={channelName} stateName={stateName} />
        </Modal>
      )}
    </div>
  );
}

function Records({ id, channelName, stateName }: ProofProps) {
  const { t } = useLingui();
  const format = useFormat();
  const toast = useToast();
  const records = useQuery(consentRecordsQuery(id));
  const download = async () => {
    try {
      const csv = await ask(
        api.GET("/contacts/{id}/consent-records.csv", { params: { path: { id } }, parseAs: "text" }),
      );
      const address = URL.createObjectURL(new Blob([csv as unknown as string], { type: "text/csv" }));
      const link = document.createElement("a");
      link.href = address;
      link.download = `consent-${id}.csv`;
      link.click();
      URL.revokeObjectURL(address);
    } catch (error) {
      toast.failed(error);
    }
  };
  if (records.error) return <Failure error={records.error} reset={() => records.refetch()} compact />;
  if (records.isPending) return <RowSkeletons rows={3} />;
  if (records.data.length === 0) return <p className="meta">{t`This person has said nothing yet.`}</p>;
  return (
    <div data-testid="consent-proof">
      {records.data.map((record) => {
        const text = typeof record.proof.text === "string" ? record.proof.text : "";
        const hash = typeof record.proof.ip_hash === "string" ? record.proof.ip_hash : "";
        const channel = channelName[record.channel] ?? record.channel;
        return (
          <div key={`${record.at} ${record.channel} ${record.topic} ${record.state}`} className={classes.proof}>
            <strong>
              {record.topic ? t`${channel}: ${record.topic}` : channel}: {stateName[record.state]}
            </strong>
            <small>
              {[format.moment(record.at), record.source, hash ? t`network address, hashed: ${hash.slice(0, 12)}…` : ""]
                .filter(Boolean)
                .join(" · ")}
            </small>
            {text && <q>{text}</q>}
          </div>
        );
      })}
      <div className={classes.proofButtons}>
        <Button size="sm" onClick={download}>{t`Download as CSV`}</Button>
      </div>
    </div>
  );
}
