import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button } from "@mantine/core";
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import { useFormat } from "@/ui/format";
import type { TestDifference, TestResult } from "../answers";
import { api } from "../api";
import { useAutosave } from "../Editor";
import { titleOf } from "../kinds";
import { stepById } from "../ports";
import sim from "../simulation.module.css";
import { select, useEditor, useEditorStore } from "../store";
import s from "./trial.module.css";
import { useOutcomeWords } from "./words";

/** The tests kept with the funnel, what came of them, and where they differ. */
export function TestList() {
  const { t } = useLingui();
  const client = useQueryClient();
  const saver = useAutosave();
  const format = useFormat();
  const can = useCan()("funnels.write");
  const funnel = useEditor((x) => x.funnel.id);
  const key = ["funnel", funnel, "tests"];
  const tests = useQuery({ queryKey: key, queryFn: () => api.tests(funnel) });
  const run = useMutation({
    mutationFn: async () => {
      if (!((await saver?.flush()) ?? true)) throw new Error("unsaved");
      return api.runTests(funnel);
    },
    onSuccess: (report) => client.setQueryData(key, report),
  });
  const remove = useMutation({
    mutationFn: async (name: string) => {
      const left = (await api.tests(funnel)).tests.filter((x) => x.name !== name);
      const kept = await api.putTests(funnel, left);
      return left.length > 0 && ((await saver?.flush()) ?? true) ? api.runTests(funnel) : kept;
    },
    onSuccess: (report) => client.setQueryData(key, report),
  });
  const list = tests.data?.tests ?? [];
  const results = new Map(tests.data?.results?.map((r) => [r.name, r]));
  const failed = [...results.values()].filter((r) => !r.passed).length;
  const error = run.error ?? remove.error ?? tests.error;
  return (
    <div className={sim.timeline} data-testid="tests">
      {list.length > 0 && (
        <div className={s.bar}>
          <p>
            <b data-tone={failed > 0 ? "error" : undefined}>
              {results.size === 0
                ? plural(list.length, { one: "# test, not run yet", other: "# tests, not run yet" })
                : failed > 0
                  ? t`${failed} of ${list.length} fail`
                  : plural(list.length, { one: "# test passes", other: "All # tests pass" })}
            </b>
            {tests.data?.tested_at && <small>{t`Run ${format.ago(tests.data.tested_at)}`}</small>}
          </p>
          {can && (
            <Button
              loading={run.isPending}
              leftSection={<IconPlayerPlay size={15} stroke={1.75} aria-hidden />}
              onClick={() => run.mutate()}
            >
              <Trans>Run all</Trans>
            </Button>
          )}
        </div>
      )}
      {error && (
        <p className={sim.error} role="alert">
          {(isProblem(error) && error.detail) || t`That did not work. Try again in a moment.`}
        </p>
      )}
      {tests.data && list.length === 0 && (
        <p className={sim.why} style={{ paddingTop: 16 }}>
          <Trans>
            No tests yet. Simulate somebody and keep the run as a test: it runs at every publish and tells when the
            funnel would treat them otherwise.
          </Trans>
        </p>
      )}
      <ul className={s.tests}>
        {list.map((test) => (
          <TestRow
            key={test.name}
            name={test.name}
            result={results.get(test.name)}
            {...(can ? { remove: () => remove.mutate(test.name) } : {})}
          />
        ))}
      </ul>
    </div>
  );
}

function TestRow({ name, result, remove }: { name: string; result: TestResult | undefined; remove?: () => void }) {
  const { t } = useLingui();
  return (
    <li className={s.test} data-passed={result?.passed}>
      {result === undefined ? (
        <IconCircleDashed size={17} stroke={1.75} aria-label={t`Not run yet`} />
      ) : result.passed ? (
        <IconCircleCheck size={17} stroke={1.75} aria-label={t`Passes`} />
      ) : (
        <IconCircleX size={17} stroke={1.75} aria-label={t`Fails`} />
      )}
      <div>
        <b>{name}</b>
        {result?.differences?.map((d, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list comes whole, in a stable order
          <Differs key={i} difference={d} />
        ))}
      </div>
      {remove && (
        <ActionIcon size="sm" aria-label={t`Delete the test “${name}”`} onClick={remove}>
          <IconTrash size={15} stroke={1.75} aria-hidden />
        </ActionIcon>
      )}
    </li>
  );
}

/** Where a test and the funnel part: what was expected, what came, and the way to the step. */
function Differs({ difference }: { difference: TestDifference }) {
  const store = useEditorStore();
  const outcome = useOutcomeWords();
  const step = useEditor((x) => (difference.step ? stepById(x.doc.graph, difference.step) : undefined));
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  const want = outcome(difference.want);
  const got = outcome(difference.got);
  return (
    <p className={s.differs}>
      {step && (
        <button
          type="button"
          onClick={() => {
            select(store, [step.id]);
            store.getState().camera?.centre(step.id, "if-hidden");
          }}
        >
          {titleOf(step, catalogue, doc)}
        </button>
      )}
      <span>
        <Trans>Expected: {want}</Trans>
      </span>
      <span>
        <Trans>Came: {got}</Trans>
      </span>
    </p>
  );
}
