import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { IconChecklist } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "@/api/problem";
import { api } from "../api";
import { useAutosave } from "../Editor";
import type { SimulationView } from "../simulation";
import { useEditor } from "../store";
import type { Whom } from "./link";
import s from "./trial.module.css";

interface Props {
  view: SimulationView;
  whom: Whom;
  sent: number;
  done: () => void;
}

/** Keeps the simulated run as a test: whoever fares otherwise from now on is reported. */
export function KeepTest({ view, whom, sent, done }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const saver = useAutosave();
  const funnel = useEditor((x) => x.funnel.id);
  const [name, setName] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const proposal = () => {
    const many = plural(sent, { one: "# message", other: "# messages" });
    if (whom === "sample") return t`A sample contact: ${many}`;
    // Of a real person a test keeps nothing that tells who they are, their name neither.
    return whom === "nobody" ? t`Somebody unknown: ${many}` : t`Somebody like one of our contacts: ${many}`;
  };
  const keep = async () => {
    const test = view.result.test;
    if (!test || !name?.trim()) return;
    setBusy(true);
    setError("");
    try {
      const { tests } = await api.tests(funnel);
      const kept = await api.putTests(funnel, [...tests, { ...test, name: free(name.trim(), tests) }]);
      client.setQueryData(["funnel", funnel, "tests"], kept);
      setName(undefined);
      if ((await saver?.flush()) ?? true) client.setQueryData(["funnel", funnel, "tests"], await api.runTests(funnel));
      done();
    } catch (e) {
      setError((isProblem(e) && e.detail) || t`The test could not be kept. Try again in a moment.`);
    } finally {
      setBusy(false);
    }
  };
  if (name === undefined)
    return (
      <Button leftSection={<IconChecklist size={15} stroke={1.75} aria-hidden />} onClick={() => setName(proposal())}>
        <Trans>Keep as a test</Trans>
      </Button>
    );
  return (
    <form
      className={s.keep}
      onSubmit={(e) => {
        e.preventDefault();
        void keep();
      }}
    >
      <TextInput
        data-autofocus
        autoFocus
        label={t`What the test shows`}
        value={name}
        maxLength={200}
        error={error || undefined}
        onChange={(e) => setName(e.currentTarget.value)}
      />
      <div>
        <Button variant="subtle" onClick={() => setName(undefined)}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" variant="filled" loading={busy} disabled={!name.trim()}>
          <Trans>Keep the test</Trans>
        </Button>
      </div>
    </form>
  );
}

/** The name, with a number behind it where a test has it already. */
function free(name: string, tests: readonly { name: string }[]): string {
  const taken = new Set(tests.map((x) => x.name));
  for (let n = 2, tried = name; ; n++) {
    if (!taken.has(tried)) return tried;
    tried = `${name} (${n})`;
  }
}
