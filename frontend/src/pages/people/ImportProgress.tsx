import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Progress } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { cancelTask, hasEnded, taskQuery } from "@/api/tasks";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { useToast } from "@/ui/toast";
import { type RowProblem, readImportResult, rowsAsCSV } from "./importResult";
import classes from "./people.module.css";

/** How far the import is, then what became of the rows. Closing the dialog does not stop it. */
export function ImportProgress({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const { data: task, error } = useQuery(taskQuery(taskId));
  const ended = hasEnded(task);

  useEffect(() => {
    if (!ended) return;
    for (const key of ["people", "tags", "lists", "fields"]) client.invalidateQueries({ queryKey: [key] });
  }, [ended, client]);

  if (error) return <Failure error={error} compact />;
  if (!task || !ended) {
    const progress = task?.progress ?? 0;
    return (
      <div className={classes.form}>
        <div className={classes.progress} role="status">
          <p>
            {task?.state === "running" ? t`People are coming in: ${format.percent(progress)}` : t`Waiting for its turn`}
          </p>
          <Progress value={progress * 100} size={6} radius={3} aria-label={t`Import`} />
          <p className="meta">{t`You may close this; it goes on by itself.`}</p>
        </div>
        <div className={classes.steps}>
          <Button
            variant="subtle"
            onClick={async () => {
              try {
                client.setQueryData(taskQuery(taskId).queryKey, await cancelTask(taskId));
              } catch (failure) {
                toast.failed(failure);
              }
            }}
          >
            {t`Stop the import`}
          </Button>
          <Button onClick={onClose}>{t`Close`}</Button>
        </div>
      </div>
    );
  }

  const result = readImportResult(task.result);
  const left = result.errors.filter((one) => !one.taken).length;
  const download = (rows: RowProblem[]) => {
    const text = rowsAsCSV(
      [t`Line of the file`, t`Column`, t`Taken`, t`Reason`],
      rows.map((one) => [String(one.line), one.column, one.taken ? t`yes` : t`no`, one.message]),
    );
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(new Blob([text], { type: "text/csv" })),
      download: "import.csv",
    });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div className={classes.form}>
      {task.state === "failed" && (
        <p className={classes.refusal} role="alert">
          {task.error || t`The import failed. What came in before stays; importing the file again does no harm.`}
        </p>
      )}
      {task.state === "cancelled" && <p>{t`The import was stopped. What came in before stays.`}</p>}
      <div className={classes.sums} role="status">
        <p>
          <b>{format.number(result.created)}</b>
          <span className="meta">{t`new`}</span>
        </p>
        <p>
          <b>{format.number(result.updated)}</b>
          <span className="meta">{t`updated`}</span>
        </p>
        <p>
          <b>{format.number(result.unchanged)}</b>
          <span className="meta">{t`as before`}</span>
        </p>
        <p>
          <b>{format.number(result.failed)}</b>
          <span className="meta">{t`left out`}</span>
        </p>
      </div>
      {result.errors.length > 0 && (
        <>
          <p className="meta">
            {result.failed > 0 ? (
              <Plural value={result.failed} one="This row could not be taken" other="These rows could not be taken" />
            ) : (
              t`These rows were not taken as they are`
            )}
          </p>
          <ol className={classes.rowProblems}>
            {result.errors.map((problem) => (
              <li key={`${problem.line} ${problem.column} ${problem.message}`}>
                <span className="num">{t`Line ${problem.line}`}</span>
                <span>
                  {problem.taken && <b>{t`Taken all the same.`} </b>}
                  {problem.message}
                </span>
              </li>
            ))}
          </ol>
          {result.failed > left && <p className="meta">{t`and ${format.number(result.failed - left)} more`}</p>}
          <Button variant="default" onClick={() => download(result.errors)}>
            {t`Download these rows as CSV`}
          </Button>
        </>
      )}
      <div className={classes.steps}>
        <span />
        <Button variant="filled" onClick={onClose}>
          {t`See the people`}
        </Button>
      </div>
    </div>
  );
}
