import { plural, t as tt } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Popover } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useState } from "react";
import e from "./editor.module.css";
import { wish } from "./focus";
import { titleOf } from "./kinds";
import { mend } from "./mends";
import { stepById } from "./ports";
import { apply, type EditorState, type EditorStore, problemsNow, set, useEditor, useEditorStore } from "./store";
import type { Problem } from "./types";
import { fixText, problemText } from "./words";

/** "Ready" or "3 problems"; the list leads to the card and the field. */
export function ProblemsPill() {
  const [open, setOpen] = useState(false);
  const store = useEditorStore();
  const problems = useEditor(problemsNow);
  const fresh = useEditor((s) => s.fresh);
  const shown = problems.filter((p) => !p.node || !fresh.has(p.node));
  const errors = shown.filter((p) => p.severity === "error").length;
  if (shown.length === 0)
    return (
      <span className={`${e.badge} ${e.badgeReady}`} data-testid="problems-pill">
        <IconCheck size={14} stroke={1.75} />
        {problems.length === 0 ? <Trans>Ready</Trans> : <Trans>Not set up yet</Trans>}
      </span>
    );
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <button
          type="button"
          className={`${e.badge} ${errors > 0 ? e.badgeError : e.badgeWarn}`}
          style={{ height: 24, cursor: "pointer" }}
          aria-expanded={open}
          data-testid="problems-pill"
          onClick={() => setOpen(!open)}
        >
          <IconAlertTriangle size={14} stroke={1.75} />
          {errors > 0
            ? plural(errors, { one: "# problem", other: "# problems" })
            : plural(shown.length, { one: "# hint", other: "# hints" })}
        </button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={tt`Problems`}>
        <ul className={e.problems}>
          {shown.map((p, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list comes whole, in a stable order
            <li key={i}>
              <ProblemRow
                problem={p}
                go={() => {
                  setOpen(false);
                  goTo(store, p);
                }}
              />
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}

export function goTo(store: EditorStore, p: Problem): void {
  if (p.node) wish(store, p.node, p.field ?? "");
}

export function whereOf(s: EditorState, p: Problem): string {
  const step = p.node ? stepById(s.shown.graph, p.node) : undefined;
  return step ? titleOf(step, s.catalogue, s.shown) : tt`The whole funnel`;
}

export function ProblemRow({ problem, go }: { problem: Problem; go: () => void }) {
  const store = useEditorStore();
  const where = useEditor((s) => whereOf(s, problem));
  const fix = problem.fix;
  return (
    <div className={`${e.problemRow} ${e.problemWhole}`}>
      <IconAlertTriangle
        size={16}
        stroke={1.75}
        color={problem.severity === "error" ? "var(--error)" : "var(--warning)"}
      />
      <button
        type="button"
        className={`${e.problemRow} ${e.problemSaid}`}
        data-testid={`problem-row-${problem.code}`}
        onClick={go}
      >
        <span>
          <b>{problemText(problem)}</b>
          <small>{where}</small>
        </span>
      </button>
      {fix && problem.node && (
        <Button
          size="sm"
          className={e.problemFix}
          onClick={() => {
            const { catalogue } = store.getState();
            apply(store, fixText(fix.label), (doc) => mend(doc, catalogue, problem));
            set(store, { picker: undefined });
          }}
        >
          {fixText(fix.label)}
        </Button>
      )}
    </div>
  );
}
