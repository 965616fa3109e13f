import { IconAlertTriangle } from "@tabler/icons-react";
import classes from "./campaigns.module.css";
import type { Problem } from "./parts";
import { useProblemText } from "./useWords";

/** What is wrong, each said once. */
export function ProblemLines({ problems }: { problems: Problem[] }) {
  const text = useProblemText();
  const lines = [...new Map(problems.map((problem) => [text(problem), problem])).entries()];
  if (lines.length === 0) return null;
  return (
    <ul className={classes.problems}>
      {lines.map(([line, problem]) => (
        <li key={line} data-severity={problem.severity} data-testid={`problem-${problem.code}`}>
          <IconAlertTriangle size={14} stroke={1.9} aria-hidden />
          {line}
        </li>
      ))}
    </ul>
  );
}
