import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, SegmentedControl, Select, TextInput } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { isProblem } from "@/api/problem";
import { useCan, useZone } from "@/api/session";
import c from "@/inspector/inspector.module.css";
import { usePeople } from "@/mail/MailPreview";
import { CopyText } from "@/ui/CopyText";
import type { Assumption } from "../answers";
import { api } from "../api";
import { viewOf } from "../simulation";
import s from "../simulation.module.css";
import { set, useEditor, useEditorStore } from "../store";
import { Assumptions } from "./Assumptions";
import { KeepTest } from "./KeepTest";
import { brought, encodeTrial, type Whom } from "./link";
import { Day, Ending, VisitRow } from "./Timeline";

/** What would happen to one person: their path on the canvas, and the days here. Nothing is written or sent. */
export function OnePerson({ kept }: { kept: () => void }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const zone = useZone();
  const can = useCan()("funnels.write");
  const [given] = useState(() => brought(store));
  const [whom, setWhom] = useState<Whom>(given?.whom ?? "real");
  const [search, setSearch] = useState("");
  const [person, setPerson] = useState<string | undefined>(given?.contact);
  const [start, setStart] = useState(given?.start ? local(given.start) : "");
  const [reaches, setReaches] = useState(given?.reaches ?? false);
  const [assume, setAssume] = useState<Record<string, Assumption>>(given?.assume ?? {});
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const [first, setFirst] = useState("");
  const people = usePeople(search, person ?? first).filter((p) => p.value);
  const chosen = person ?? first;
  const newest = people[0]?.value ?? "";
  useEffect(() => {
    if (!first) setFirst(newest); // once: what is typed later changes the list, not who is followed
  }, [first, newest]);
  const view = useEditor((x) => x.simulation);
  const goal = useEditor((x) => x.doc.graph.nodes.find((n) => n.kind === "goal" && n.config.mode !== "rule"));
  const names: Record<Whom, string> = {
    real: people.find((p) => p.value === chosen)?.label.split(", ")[0] ?? t`this person`,
    sample: t`a sample contact`,
    nobody: t`somebody we know nothing about`,
  };
  const run = async (supposing: Record<string, Assumption>) => {
    setBusy(true);
    setError("");
    const { doc, funnel } = store.getState();
    const again = view?.result.visits[0]?.at;
    const begin = start ? new Date(start) : supposing !== assume && again ? new Date(again) : new Date();
    const event = (goal?.config.event as { name?: string } | undefined)?.name;
    const supposed =
      reaches && event ? [{ name: event, at: new Date(begin.getTime() + 26 * 3_600_000).toISOString() }] : [];
    try {
      const result = await api.simulate(funnel.id, {
        graph: doc.graph,
        creatives: doc.creatives,
        ...(whom === "real" ? { contact_id: chosen } : { person: whom }),
        start: begin.toISOString(),
        events: supposed,
        assume: supposing,
      });
      set(store, {
        simulation: {
          ...viewOf(names[whom], result, doc.graph, zone),
          ...(whom === "real" ? { contact: chosen } : {}),
        },
        selection: [],
      });
      setAssume(supposing);
      store.getState().camera?.fit();
    } catch (e) {
      setError((isProblem(e) && e.detail) || t`The simulation could not be run. Try again in a moment.`);
    } finally {
      setBusy(false);
    }
  };
  // A link shows what it is about without being asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (given) void run(assume);
  }, [given]);
  const begun = view?.result.visits[0]?.at;
  const link = () => {
    const trial = encodeTrial({
      whom,
      ...(whom === "real" ? { contact: chosen } : {}),
      ...(start ? { start: new Date(start).toISOString() } : begun ? { start: begun } : {}),
      ...(reaches ? { reaches } : {}),
      ...(Object.keys(assume).length > 0 ? { assume } : {}),
    });
    return `${window.location.origin}/funnels/${store.getState().funnel.id}/edit?simulate=${trial}`;
  };
  const sent = view?.result.messages.filter((m) => !m.skipped).length ?? 0;
  return (
    <>
      <form
        className={s.form}
        onSubmit={(e) => {
          e.preventDefault();
          void run(assume);
        }}
      >
        <SegmentedControl
          fullWidth
          aria-label={t`Whom to follow`}
          value={whom}
          onChange={(value) => setWhom(value as Whom)}
          data={[
            { value: "real", label: t`A contact` },
            { value: "sample", label: t`A sample contact` },
            { value: "nobody", label: t`Somebody unknown` },
          ]}
        />
        {whom === "real" ? (
          <Select
            label={t`Person`}
            searchable
            filter={({ options }) => options}
            data={people}
            value={chosen}
            onSearchChange={setSearch}
            onChange={(v) => setPerson(v ?? "")}
          />
        ) : (
          <p className={s.why}>
            {whom === "sample" ? (
              <Trans>Everything is known of them: every field, every property of the event. They agreed to all.</Trans>
            ) : (
              <Trans>
                Nothing is known of them but an address and a number. This finds texts that say nothing instead. They
                agreed to all.
              </Trans>
            )}
          </p>
        )}
        <div className={c.row}>
          <TextInput
            type="datetime-local"
            label={t`Starts at (empty: now)`}
            value={start}
            onChange={(e) => setStart(e.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={view ? "default" : "filled"}
            loading={busy}
            disabled={whom === "real" && !chosen}
            style={{ alignSelf: "end" }}
            leftSection={<IconPlayerPlay size={15} stroke={1.75} />}
          >
            <Trans>Simulate</Trans>
          </Button>
        </div>
        {goal && (
          <Checkbox
            checked={reaches}
            onChange={(e) => setReaches(e.currentTarget.checked)}
            label={t`Suppose they reach the goal after a day`}
          />
        )}
      </form>
      <div className={s.timeline} data-testid="timeline">
        {error && <p className={s.error}>{error}</p>}
        {view && (
          <Assumptions
            list={view.result.assumed ?? []}
            change={(node, assumption) => void run({ ...assume, [node]: assumption })}
          />
        )}
        {view?.days.map((d) => (
          <div key={d.date}>
            <Day date={d.date} day={d.day} />
            {d.visits.map((v) => (
              <VisitRow key={v.seq} visit={v} zone={zone} />
            ))}
          </div>
        ))}
        {!view && !error && (
          <p className={s.why} style={{ paddingTop: 16 }}>
            <Trans>
              Choose a person and simulate: their way lights up on the canvas, and here you read day by day what they
              would get and why.
            </Trans>
          </p>
        )}
        {view && <Ending />}
      </div>
      <div className={s.note}>
        <p>
          {view ? plural(sent, { one: "# message would be sent.", other: "# messages would be sent." }) : null}{" "}
          <Trans>Nothing is written or sent.</Trans>
        </p>
        {view && <CopyText value={link()} label={t`Copy a link to this simulation`} />}
        {can && view?.result.test && <KeepTest key={view.person} view={view} whom={whom} sent={sent} done={kept} />}
      </div>
    </>
  );
}

/** An instant as a field for date and time holds it, in the time of this device. */
function local(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
