import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Progress, TextInput } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "@/api/problem";
import { useCan, useZone } from "@/api/session";
import { cancelTask, hasEnded, taskQuery } from "@/api/tasks";
import c from "@/inspector/inspector.module.css";
import { useFormat } from "@/ui/format";
import type { Rehearsal } from "../answers";
import { api } from "../api";
import sim from "../simulation.module.css";
import { set, useEditor, useEditorStore } from "../store";
import { dayIn, periodOf, shiftDay } from "./period";
import { RehearsalResult } from "./RehearsalResult";
import s from "./trial.module.css";

/** The draft against what really happened in a past period: who would have come in, and what would have been sent. */
export function RehearsalTab() {
  const { t } = useLingui();
  const store = useEditorStore();
  const client = useQueryClient();
  const zone = useZone();
  const format = useFormat();
  const can = useCan()("funnels.write");
  const today = dayIn(new Date(), zone);
  const [from, setFrom] = useState(shiftDay(today, -29));
  const [to, setTo] = useState(today);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState("");
  const id = useEditor((x) => x.rehearsal);
  const { data: task, error } = useQuery({ ...taskQuery(id ?? ""), enabled: id !== undefined });
  const going = id !== undefined && !error && !hasEnded(task);
  const start = async () => {
    setBusy(true);
    setRefusal("");
    const { doc, funnel } = store.getState();
    try {
      const begun = await api.rehearse(funnel.id, {
        ...periodOf(from, to, zone, new Date()),
        graph: doc.graph,
        creatives: doc.creatives,
      });
      set(store, { rehearsal: begun.id });
    } catch (e) {
      setRefusal((isProblem(e) && e.detail) || t`The rehearsal could not be started. Try again in a moment.`);
    } finally {
      setBusy(false);
    }
  };
  const stop = async () => {
    if (!id) return;
    try {
      client.setQueryData(taskQuery(id).queryKey, await cancelTask(id));
    } catch (e) {
      setRefusal((isProblem(e) && e.detail) || t`It could not be stopped. Try again in a moment.`);
    }
  };
  const back = (days: number) => {
    setFrom(shiftDay(today, 1 - days));
    setTo(today);
  };
  const result = readRehearsal(task?.result);
  const progress = task?.progress ?? 0;
  return (
    <>
      <form
        className={sim.form}
        onSubmit={(e) => {
          e.preventDefault();
          void start();
        }}
      >
        <div className={c.row}>
          <TextInput
            type="date"
            label={t`From`}
            required
            withAsterisk={false}
            max={to}
            value={from}
            onChange={(e) => setFrom(e.currentTarget.value)}
          />
          <TextInput
            type="date"
            label={t`To`}
            required
            withAsterisk={false}
            min={from}
            max={today}
            value={to}
            onChange={(e) => setTo(e.currentTarget.value)}
          />
        </div>
        <div className={c.row}>
          <div className={c.days} style={{ flex: 1 }}>
            {[7, 30, 90].map((days) => (
              <button
                key={days}
                type="button"
                className={c.day}
                aria-pressed={to === today && from === shiftDay(today, 1 - days)}
                onClick={() => back(days)}
              >
                {plural(days, { one: "# day", other: "# days" })}
              </button>
            ))}
          </div>
          <Button
            type="submit"
            variant={result ? "default" : "filled"}
            loading={busy}
            disabled={!can || going || !from || !to}
            leftSection={<IconPlayerPlay size={15} stroke={1.75} aria-hidden />}
          >
            <Trans>Rehearse</Trans>
          </Button>
        </div>
      </form>
      <div className={sim.timeline} data-testid="rehearsal">
        {(refusal || error) && (
          <p className={sim.error} role="alert">
            {refusal || t`The rehearsal is gone. Start it again.`}
          </p>
        )}
        {going && (
          <div className={s.going} role="status">
            <p>
              {task?.state === "running" ? t`Living it again: ${format.percent(progress)}` : t`Waiting for its turn`}
            </p>
            <Progress value={progress * 100} size={6} radius={3} aria-label={t`Rehearsal`} />
            <div>
              <small>{t`You may close this panel; the rehearsal goes on.`}</small>
              <Button onClick={() => void stop()}>
                <Trans>Stop</Trans>
              </Button>
            </div>
          </div>
        )}
        {task?.state === "failed" && (
          <p className={sim.error} role="alert">
            {task.error || t`The rehearsal failed. Start it again.`}
          </p>
        )}
        {task?.state === "cancelled" && (
          <p className={sim.why} style={{ paddingTop: 12 }}>
            {result ? (
              <Trans>It was stopped. This is as far as it came.</Trans>
            ) : (
              <Trans>It was stopped before anybody was looked at.</Trans>
            )}
          </p>
        )}
        {result && hasEnded(task) && <RehearsalResult result={result} />}
        {!id && !refusal && (
          <p className={sim.why} style={{ paddingTop: 16 }}>
            <Trans>
              Choose a period: everybody's events of those days are lived through again with this draft, with quiet
              hours and the cap. You see who would have come in and what would have been sent.
            </Trans>
          </p>
        )}
      </div>
      <p className={sim.note}>
        <Trans>Nothing is written or sent.</Trans>
      </p>
    </>
  );
}

function readRehearsal(result: unknown): Rehearsal | undefined {
  const found = result as Rehearsal | undefined;
  return typeof found?.entries === "number" ? found : undefined;
}
