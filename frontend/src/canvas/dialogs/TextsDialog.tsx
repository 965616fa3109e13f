import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import { hasEnded, taskQuery } from "@/api/tasks";
import { useAutosave } from "../Editor";
import { set, useEditor, useEditorStore } from "../store";
import { type TextVariant, textsQuery } from "../texts";
import d from "./dialogs.module.css";
import { TextCost } from "./TextsExpected";

/** The texts of one step, one for each combination of what the model may know: read, changed, approved, refused. */
export function TextsDialog({ step: id }: { step: string }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const saver = useAutosave();
  const client = useQueryClient();
  const funnel = useEditor((s) => s.funnel);
  const [ready, setReady] = useState(false);
  const [task, setTask] = useState<string>();
  const [refusal, setRefusal] = useState("");
  useEffect(() => {
    void Promise.resolve(saver?.flush() ?? true).then(() => setReady(true));
  }, [saver]);
  const texts = useQuery({ ...textsQuery(funnel.id), enabled: ready });
  const running = useQuery({ ...taskQuery(task ?? ""), enabled: task !== undefined });
  const again = () => client.invalidateQueries({ queryKey: textsQuery(funnel.id).queryKey });
  const ended = running.data && hasEnded(running.data);
  useEffect(() => {
    if (ended) {
      setTask(undefined);
      void client.invalidateQueries({ queryKey: textsQuery(funnel.id).queryKey });
    }
  }, [ended, client, funnel.id]);
  const step = texts.data?.find((s) => s.step === id);
  const act = async (deed: () => Promise<unknown>) => {
    setRefusal("");
    try {
      await deed();
      await again();
    } catch (error) {
      setRefusal((isProblem(error) && error.detail) || t`The server does not answer.`);
    }
  };
  const path = { id: funnel.id, step: id };
  const write = () =>
    act(async () => setTask((await ask(api.POST("/funnels/{id}/texts/{step}/write", { params: { path } }))).id));
  const waiting = step?.states.waiting ?? 0;
  const missing = step?.states.missing ?? 0;
  const close = () => set(store, { dialog: undefined });
  return (
    <Modal opened onClose={close} title={t`Texts by AI`} size="xl" closeButtonProps={{ "aria-label": t`Close` }}>
      <div className={d.stack} data-testid="texts-dialog">
        {ready && texts.data && !step && (
          <p className={d.lead}>
            <Trans>Say first what is to be written, under Texts in the step.</Trans>
          </p>
        )}
        {step && (
          <>
            <p className={d.lead} data-testid="texts-cost">
              <TextCost step={step} />
            </p>
            <div className={d.foot}>
              {missing > 0 && (
                <Button loading={task !== undefined} onClick={() => void write()}>
                  {plural(missing, { one: "Have # missing text written", other: "Have # missing texts written" })}
                </Button>
              )}
              {waiting > 0 && (
                <Button
                  variant="filled"
                  onClick={() =>
                    void act(() => ask(api.POST("/funnels/{id}/texts/{step}/approve", { params: { path } })))
                  }
                >
                  {plural(waiting, { one: "Approve # text", other: "Approve all # texts" })}
                </Button>
              )}
            </div>
          </>
        )}
        {refusal && (
          <p className={d.removed} role="alert">
            {refusal}
          </p>
        )}
        <div className={d.rows}>
          {step?.variants.map((v) => (
            <Variant
              key={v.id}
              step={id}
              variant={v}
              judge={(state, changed) =>
                act(() =>
                  ask(
                    api.PUT("/funnels/{id}/texts/{step}/variants/{variant}", {
                      params: { path: { ...path, variant: v.id } },
                      body: { state, ...(changed ? { texts: changed } : {}) },
                    }),
                  ),
                )
              }
            />
          ))}
        </div>
        {step?.more && (
          <p className={d.words}>
            <Trans>There are more combinations. These are the ones of most people.</Trans>
          </p>
        )}
      </div>
    </Modal>
  );
}

type Judge = (state: "waiting" | "approved" | "refused", texts?: Record<string, string>) => Promise<void>;

function Variant({ step, variant: v, judge }: { step: string; variant: TextVariant; judge: Judge }) {
  const { t } = useLingui();
  const doc = useEditor((s) => s.doc);
  const [changed, setChanged] = useState<Record<string, string>>();
  const [busy, setBusy] = useState(false);
  const names = Object.keys(v.texts ?? {}).length > 0 ? Object.keys(v.texts ?? {}) : asked(doc.graph.nodes, step);
  const states: Record<string, string> = {
    missing: t`Not written yet`,
    live: t`Written when needed`,
    waiting: t`To be looked at`,
    approved: t`Approved`,
    refused: t`Refused`,
  };
  const values = Object.entries(v.values)
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(", ");
  const say = async (state: "approved" | "refused") => {
    setBusy(true);
    await judge(state, state === "approved" ? changed : undefined);
    setChanged(undefined);
    setBusy(false);
  };
  return (
    <div className={d.row} data-testid="text-variant" data-state={v.state}>
      <span style={{ flex: 1, display: "grid", gap: 6 }}>
        <small className={d.words}>
          {values || t`Nothing is known of them`} · {v.language} ·{" "}
          {plural(v.people, { one: "# person", other: "# people" })} · <b>{states[v.state]}</b>
        </small>
        {names.map((name) => (
          <Textarea
            key={name}
            aria-label={t`Text ${name} for ${values}`}
            autosize
            minRows={1}
            value={changed?.[name] ?? v.texts?.[name] ?? ""}
            onChange={(e) => {
              const text = e.currentTarget.value;
              setChanged((now) => ({ ...v.texts, ...now, [name]: text }));
            }}
          />
        ))}
      </span>
      <Button
        size="xs"
        loading={busy}
        disabled={!changed && (v.state === "approved" || !v.texts)}
        onClick={() => void say("approved")}
      >
        <Trans>Approve</Trans>
      </Button>
      <Button size="xs" variant="subtle" disabled={v.state === "refused"} onClick={() => void say("refused")}>
        <Trans>Refuse</Trans>
      </Button>
    </div>
  );
}

/** The names of the texts a funnel asks for: what can be written by hand where no model was asked. */
function asked(nodes: { id: string; config: Record<string, unknown> }[], id: string): string[] {
  const step = nodes.find((n) => n.id === id);
  return ((step?.config.variables ?? []) as { name?: string }[]).map((v) => v.name ?? "").filter(Boolean);
}
