import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Textarea } from "@mantine/core";
import { IconArrowBackUp, IconCheck, IconClock } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useCan } from "@/api/session";
import { useFormat } from "@/ui/format";
import { useToast } from "@/ui/toast";
import type { Approval } from "./answers";
import { api } from "./api";
import d from "./dialogs/dialogs.module.css";
import { useAutosave } from "./Editor";
import e from "./editor.module.css";
import { set, useEditor, useEditorStore } from "./store";

const again = 10_000;

/** The latest request to publish this draft; while one is open it is looked at again every few seconds. */
export function useApproval(): Approval | undefined {
  const id = useEditor((s) => s.funnel.id);
  const revision = useEditor((s) => s.revision);
  const found = useQuery({
    // The server tells whether the draft is still the one that was asked about: asked anew with each save.
    queryKey: ["funnel", id, "approval", revision],
    queryFn: () => api.approval(id),
    staleTime: 2000,
    placeholderData: keepPreviousData,
    refetchInterval: (q) => (q.state.data?.approval?.state === "open" ? again : false),
  });
  return found.data?.approval;
}

/** Changes of the draft make an approval lapse; what is not saved yet counts as well. */
export function useLapsed(approval: Approval | undefined): boolean {
  const pending = useEditor((s) => s.save.state !== "saved");
  return approval !== undefined && (approval.lapsed || pending);
}

/** Whether the draft waits for somebody, was approved or sent back; a click shows what and why. */
export function ApprovalBadge() {
  const store = useEditorStore();
  const approval = useApproval();
  const lapsed = useLapsed(approval);
  if (!approval || approval.state === "withdrawn" || approval.state === "published") return null;
  const { state, decided_by: who = "" } = approval;
  const look = state === "approved" && !lapsed ? e.badgeOk : e.badgeWarn;
  return (
    <button
      type="button"
      className={`${e.badge} ${look}`}
      style={{ cursor: "pointer" }}
      data-testid="approval"
      data-state={state === "approved" && lapsed ? "lapsed" : state}
      onClick={() => set(store, { dialog: { kind: "publish" } })}
    >
      {state === "open" ? (
        <IconClock size={14} />
      ) : state === "declined" ? (
        <IconArrowBackUp size={14} />
      ) : (
        <IconCheck size={14} />
      )}
      {state === "open" ? (
        <Trans>Waiting for approval</Trans>
      ) : state === "declined" ? (
        <Trans>Sent back: {who}</Trans>
      ) : lapsed ? (
        <Trans>Changed since approval</Trans>
      ) : (
        <Trans>Approved: {who}</Trans>
      )}
    </button>
  );
}

interface SectionProps {
  revision: number;
  /** Nothing stands in the way of asking. */
  ready: boolean;
  done: () => void;
}

/** Asking, answering and what came of it, inside the publish dialog. */
export function ApprovalSection({ revision, ready, done }: SectionProps) {
  const { t } = useLingui();
  const format = useFormat();
  const may = useCan();
  const approval = useApproval();
  const lapsed = useLapsed(approval);
  const [text, setText] = useState("");
  const act = useAct(done);
  const id = useEditor((s) => s.funnel.id);
  const who = approval?.asked_by ?? t`Somebody`;
  const when = approval ? format.moment(approval.asked_at) : "";
  const decider = may("funnels.publish") && approval?.state === "open" && !approval.mine;
  const asker = !may("funnels.publish");
  if (!asker && approval?.state !== "open") return null;
  return (
    <section className={d.section} data-testid="approval-section">
      <h3>
        <Trans>Approval</Trans>
      </h3>
      {approval?.state === "open" && (
        <p className={d.say}>
          <span>
            {t`${who} asked for approval: ${when}.`} {approval.note && `“${approval.note}”`}
            {approval.lapsed && (
              <small className={d.words}>{t`The draft has changed since; what counts is the draft you see.`}</small>
            )}
          </span>
        </p>
      )}
      {asker && approval?.state === "declined" && (
        <p className={d.say}>
          <span>
            {t`${approval.decided_by ?? t`Somebody`} sent it back.`} {approval.answer && `“${approval.answer}”`}
          </span>
        </p>
      )}
      {asker && approval?.state === "approved" && (
        <p className={d.say}>
          <span>
            {lapsed
              ? t`The draft has changed since it was approved. Ask again.`
              : t`${approval.decided_by ?? t`Somebody`} approved exactly this draft.`}
          </span>
        </p>
      )}
      {(decider || (asker && !(approval?.state === "approved" && !lapsed))) && (
        <Textarea
          label={decider ? t`Your answer` : t`What should they know?`}
          autosize
          minRows={2}
          maxLength={500}
          value={text}
          onChange={(x) => setText(x.currentTarget.value)}
        />
      )}
      <div className={d.foot}>
        {decider && (
          <>
            <Button
              disabled={text.trim() === ""}
              onClick={() => void act(() => api.decide(id, revision, false, text), t`Sent back.`)}
              data-testid="approval-decline"
            >
              <Trans>Send it back</Trans>
            </Button>
            <Button
              disabled={!ready}
              onClick={() =>
                void act(() => api.decide(id, revision, true, text), t`Approved. It can be published now.`)
              }
              data-testid="approval-approve"
            >
              <Trans>Approve this draft</Trans>
            </Button>
          </>
        )}
        {asker && approval?.state === "open" && (
          <Button onClick={() => void act(() => api.withdraw(id), t`The request is withdrawn.`)}>
            <Trans>Withdraw the request</Trans>
          </Button>
        )}
        {asker && !(approval?.state === "approved" && !lapsed) && (
          <Button
            variant="filled"
            disabled={!ready}
            onClick={() =>
              void act(
                () => api.askApproval(id, revision, text),
                t`Asked. You will see the answer beside the name of the funnel.`,
              )
            }
            data-testid="approval-ask"
          >
            {approval?.state === "open" ? <Trans>Ask again</Trans> : <Trans>Ask for approval</Trans>}
          </Button>
        )}
      </div>
    </section>
  );
}

function useAct(done: () => void) {
  const toast = useToast();
  const client = useQueryClient();
  const saver = useAutosave();
  const store = useEditorStore();
  const id = useEditor((s) => s.funnel.id);
  return async (ask: () => Promise<{ approval?: Approval }>, said: string) => {
    try {
      await saver?.flush();
      const answer = await ask();
      client.setQueryData(["funnel", id, "approval", store.getState().revision], answer);
      void client.invalidateQueries({ queryKey: ["waiting"] });
      toast.show({ title: said });
      done();
    } catch (error) {
      toast.failed(error);
    }
  };
}
