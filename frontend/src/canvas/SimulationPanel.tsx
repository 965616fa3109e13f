import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import c from "@/inspector/inspector.module.css";
import s from "./simulation.module.css";
import { set, useEditor, useEditorStore } from "./store";
import { OnePerson } from "./trial/OnePerson";
import { RehearsalTab } from "./trial/RehearsalTab";
import { TestList } from "./trial/TestList";

type Tab = "person" | "tests" | "past";

/** The funnel tried out: on one person, by its tests, and on what happened in the past. Nothing is written or sent. */
export function SimulationPanel({ phone }: { phone: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const view = useEditor((x) => x.simulation);
  const [tab, setTab] = useState<Tab>("person");
  useEffect(() => () => set(store, { simulation: undefined }), [store]);
  const close = () => set(store, { simulating: false, simulation: undefined });
  const tabs: Record<Tab, string> = { person: t`One person`, tests: t`Tests`, past: t`Rehearsal` };
  return (
    <aside
      className={c.panel}
      style={phone ? undefined : { width: 420 }}
      data-phone={phone}
      aria-label={t`Simulation`}
      data-testid="simulation"
    >
      <header className={s.head}>
        <h2>
          {tab === "tests" ? (
            <Trans>What has to stay so</Trans>
          ) : tab === "past" ? (
            <Trans>What would have happened</Trans>
          ) : view ? (
            <Trans>What would happen to {view.person}</Trans>
          ) : (
            <Trans>What would happen to…</Trans>
          )}
        </h2>
        <ActionIcon size="md" aria-label={t`End simulation`} onClick={close}>
          <IconX size={17} stroke={1.75} />
        </ActionIcon>
      </header>
      <div className={c.tabs} role="tablist" aria-label={t`Ways to try it out`}>
        {(Object.keys(tabs) as Tab[]).map((id) => (
          <button
            key={id}
            type="button"
            role="tab"
            className={c.tab}
            aria-selected={tab === id}
            onClick={() => setTab(id)}
          >
            {tabs[id]}
          </button>
        ))}
      </div>
      <div className={s.pane} hidden={tab !== "person"}>
        <OnePerson kept={() => setTab("tests")} />
      </div>
      {tab === "tests" && <TestList />}
      {tab === "past" && <RehearsalTab />}
    </aside>
  );
}
