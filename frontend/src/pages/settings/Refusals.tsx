import { useLingui } from "@lingui/react/macro";
import { Badge, Button, FileButton, Modal, Select, Textarea, TextInput } from "@mantine/core";
import { IconMailOff, IconPlus, IconSearch, IconUpload } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { importSuppressions, type Suppression, type SuppressionReason, suppressionsQuery } from "@/api/consent";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import classes from "./settings.module.css";

const reasons = ["unsubscribed", "bounced", "complained", "manual", "erased"] as const;

function useReasonName(): (reason: SuppressionReason) => string {
  const { t } = useLingui();
  return (reason) =>
    ({
      unsubscribed: t`Unsubscribed`,
      bounced: t`Bounced`,
      complained: t`Called it spam`,
      manual: t`By hand`,
      erased: t`Asked to be forgotten`,
    })[reason];
}

/** Addresses nothing is sent to: found by the whole address, added, imported, and taken off with a reason. */
export function Refusals() {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const reasonName = useReasonName();
  const [typed, setTyped] = useState("");
  const [q, setQ] = useState("");
  const [reason, setReason] = useState<SuppressionReason>();
  const [adding, setAdding] = useState(false);
  const [lifting, setLifting] = useState<Suppression>();
  const query = useInfiniteQuery(suppressionsQuery({ ...(q ? { q } : {}), ...(reason ? { reason } : {}) }));
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  const counts = query.data?.pages[0]?.counts ?? {};
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const send = async (file: File | null) => {
    if (!file) return;
    try {
      await importSuppressions(await file.text());
      toast.show({ title: t`The file is being read`, text: t`The addresses appear here within a minute.` });
      await client.invalidateQueries({ queryKey: ["suppressions"] });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Panel
      title={t`Addresses nothing is sent to`}
      meta={total > 0 ? total : undefined}
      flush
      actions={
        can("contacts.write") && (
          <>
            <FileButton onChange={send} accept=".csv,text/csv">
              {(props) => (
                <Button size="sm" leftSection={<IconUpload size={14} stroke={1.75} aria-hidden />} {...props}>
                  {t`Import`}
                </Button>
              )}
            </FileButton>
            <Button
              size="sm"
              leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              {t`Add an address`}
            </Button>
          </>
        )
      }
    >
      <form
        className={classes.line}
        onSubmit={(event) => {
          event.preventDefault();
          setQ(typed.trim());
        }}
      >
        <TextInput
          style={{ flex: 1, minWidth: 200 }}
          aria-label={t`Find an address`}
          placeholder={t`anna@example.com or +48601234567`}
          leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
          value={typed}
          error={query.error && isProblem(query.error) && query.error.fields[0]?.message}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            if (!event.currentTarget.value) setQ("");
          }}
        />
        <Select
          aria-label={t`Reason`}
          placeholder={t`Any reason`}
          clearable
          className={classes.role}
          data={reasons.map((value) => ({
            value,
            label: counts[value] ? `${reasonName(value)} (${counts[value]})` : reasonName(value),
          }))}
          value={reason ?? null}
          onChange={(value) => setReason((value as SuppressionReason | null) ?? undefined)}
        />
        <Button type="submit">{t`Find`}</Button>
      </form>
      {query.error && !(isProblem(query.error) && query.error.fields.length > 0) ? (
        <Failure error={query.error} reset={() => query.refetch()} compact />
      ) : query.isPending ? (
        <RowSkeletons rows={3} />
      ) : rows.length === 0 ? (
        <Empty
          compact
          icon={IconMailOff}
          title={q || reason ? t`No such address` : t`Nobody is refused`}
          text={
            q
              ? t`Messages to it may leave, as far as this list says.`
              : t`Who unsubscribes, whose mailbox does not exist and who calls a message spam appears here by itself.`
          }
        />
      ) : (
        rows.map((row) => (
          <Line key={row.id} row={row} onLift={() => setLifting(row)} locked={!can("contacts.erase")} />
        ))
      )}
      <MoreRows query={query} />
      {adding && <AddDialog onClose={() => setAdding(false)} />}
      {lifting && <LiftDialog row={lifting} onClose={() => setLifting(undefined)} />}
    </Panel>
  );
}

function Line({ row, onLift, locked }: { row: Suppression; onLift: () => void; locked: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const reasonName = useReasonName();
  const name = row.contact?.email ?? row.contact?.name ?? row.hint;
  const said = row.reason === "unsubscribed" || row.reason === "erased";
  return (
    <div className={classes.line} data-testid="suppression">
      <span className={classes.lineText}>
        {row.contact ? (
          <Link to="/people/$id" params={{ id: row.contact.id }}>
            {name || t`Somebody`}
          </Link>
        ) : (
          name || t`Somebody who was forgotten`
        )}
        <small>{[row.channel, row.source, format.day(row.at)].filter(Boolean).join(" · ")}</small>
      </span>
      <Badge variant="outline" data-tone={row.reason === "complained" ? "error" : undefined}>
        {reasonName(row.reason)}
      </Badge>
      {!locked && !said && (
        <Button size="sm" variant="subtle" aria-label={t`Take ${name} off`} onClick={onLift}>
          {t`Take off…`}
        </Button>
      )}
    </div>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [address, setAddress] = useState("");
  const [wrong, setWrong] = useState<string>();
  const save = async () => {
    try {
      await ask(
        api.POST("/suppressions", {
          body: { channel: address.includes("@") ? "email" : "sms", address: address.trim() },
        }),
      );
      await client.invalidateQueries({ queryKey: ["suppressions"] });
      onClose();
    } catch (error) {
      setWrong(
        isProblem(error) ? (error.fields[0]?.message ?? error.detail) : t`Something failed on our side. Try again.`,
      );
    }
  };
  return (
    <Modal opened onClose={onClose} title={t`Add an address`} closeButtonProps={{ "aria-label": t`Close` }}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextInput
          label={t`E-mail address or telephone number`}
          description={t`Nothing is sent to it any more, receipts and confirmations neither.`}
          data-autofocus
          value={address}
          error={wrong}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <div className={classes.buttons}>
          <Button type="submit" variant="filled" disabled={!address.trim()}>
            {t`Refuse the address`}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function LiftDialog({ row, onClose }: { row: Suppression; onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const [why, setWhy] = useState("");
  const name = row.contact?.email ?? row.hint;
  const lift = async () => {
    try {
      await ask(
        api.POST("/suppressions/{id}/lift", { params: { path: { id: row.id } }, body: { reason: why.trim() } }),
      );
      await client.invalidateQueries({ queryKey: ["suppressions"] });
      toast.show({ title: t`${name} may be written to again` });
      onClose();
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t`Take ${name} off the list?`} closeButtonProps={{ "aria-label": t`Close` }}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          lift();
        }}
      >
        <p>{t`Messages to this address leave again. If it bounces again or its owner complains again, that harms the reputation of your sender.`}</p>
        <Textarea
          label={t`Why?`}
          description={t`Your name and this reason are kept in the audit.`}
          autosize
          minRows={2}
          data-autofocus
          value={why}
          onChange={(event) => setWhy(event.currentTarget.value)}
        />
        <div className={classes.buttons}>
          <Button type="submit" variant="danger" disabled={why.trim().length < 3}>
            {t`Take it off`}
          </Button>
          <Button variant="subtle" onClick={onClose}>
            {t`Cancel`}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
