import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconCircleX } from "@tabler/icons-react";
import e from "../editor.module.css";
import { goTo, whereOf } from "../ProblemsPill";
import { useEditor, useEditorStore } from "../store";
import { useOutcomeWords } from "../trial/words";
import type { Problem } from "../types";
import d from "./dialogs.module.css";

/** The code of the warning that a test kept with the funnel fails. */
export const testFailed = "TEST_FAILED";

/** Tests the new version would fail: what each expects and what would come. They warn; publishing stays a choice. */
export function FailingTests({ list, close }: { list: Problem[]; close: () => void }) {
  return (
    <section className={d.section} data-testid="failing-tests">
      <h3>{plural(list.length, { one: "# test fails", other: "# tests fail" })}</h3>
      <div className={d.rows}>
        {list.map((p) => (
          <Row key={p.params?.test} problem={p} close={close} />
        ))}
      </div>
    </section>
  );
}

function Row({ problem, close }: { problem: Problem; close: () => void }) {
  const store = useEditorStore();
  const outcome = useOutcomeWords();
  const where = useEditor((x) => whereOf(x, problem));
  const { test, want = "", got = "" } = problem.params ?? {};
  const wanted = outcome(want);
  const came = outcome(got);
  return (
    <button
      type="button"
      className={e.problemRow}
      onClick={() => {
        close();
        goTo(store, problem);
      }}
    >
      <IconCircleX size={16} stroke={1.75} color="var(--warning)" aria-hidden />
      <span>
        <b>{test}</b>
        <small>
          {where} · <Trans>Expected: {wanted}</Trans> · <Trans>Came: {came}</Trans>
        </small>
      </span>
    </button>
  );
}
