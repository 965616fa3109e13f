import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Loader } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import r from "./review.module.css";

export type Answer =
  | { kind: "busy"; stage: string; steps: string[] }
  | { kind: "clarify"; questions: { text: string; options: string[] }[]; notes: string[] }
  | { kind: "refuse"; reason: string; again: boolean }
  | { kind: "nothing"; words: string; notes: string[]; undo: boolean };

interface SpokenProps {
  answer: Answer;
  choose: (option: string) => void;
  again: () => void;
  /** Draws a whole funnel from the same sentence. */
  anew?: (() => void) | undefined;
  undo: () => void;
  close: () => void;
}

/** What the assistant says while it draws, and when it draws nothing. The sentence is still in the line below. */
export function Spoken({ answer, choose, again, anew, undo, close }: SpokenProps) {
  const { t } = useLingui();
  if (answer.kind === "busy") return <Busy stage={answer.stage} steps={answer.steps} />;
  return (
    <div className={r.answer} role="status" data-testid={`prompt-${answer.kind}`}>
      <ActionIcon size="xs" aria-label={t`Close`} onClick={close} style={{ float: "right" }}>
        <IconX size={14} stroke={1.75} />
      </ActionIcon>
      {answer.kind === "nothing" && (
        <>
          <p>
            {answer.words || (
              <Trans>Nothing would change: the funnel is already like that, or the sentence was not understood.</Trans>
            )}
          </p>
          <Notes notes={answer.notes} />
          {answer.undo && (
            <div className={r.options}>
              <Button size="sm" onClick={undo}>
                <Trans>Undo</Trans>
              </Button>
            </div>
          )}
        </>
      )}
      {answer.kind === "refuse" && (
        <>
          <p>{answer.reason}</p>
          {answer.again && (
            <div className={r.options}>
              <Button size="sm" onClick={again}>
                <Trans>Try again</Trans>
              </Button>
            </div>
          )}
        </>
      )}
      {answer.kind === "clarify" && (
        <>
          {answer.questions.map((q) => (
            <div key={q.text}>
              <p>{q.text}</p>
              <div className={r.options}>
                {q.options.map((o) => (
                  <Button key={o} size="sm" onClick={() => choose(o)}>
                    {o}
                  </Button>
                ))}
                {anew && (
                  <Button size="sm" variant="subtle" onClick={anew}>
                    <Trans>Draw a new funnel from this</Trans>
                  </Button>
                )}
              </div>
            </div>
          ))}
          <Notes notes={answer.notes} />
        </>
      )}
    </div>
  );
}

function Notes({ notes }: { notes: string[] }) {
  return notes.map((n) => (
    <p key={n} className={r.note}>
      {n}
    </p>
  ));
}

/** Names the steps as they come. */
function Busy({ stage, steps }: { stage: string; steps: string[] }) {
  const { t } = useLingui();
  const doing =
    stage === "repairing"
      ? t`Mending the plan…`
      : stage === "writing"
        ? t`Writing the messages…`
        : stage === "reserve"
          ? t`The model did not answer; asking the reserve…`
          : t`Drafting…`;
  return (
    <output className={r.answer} data-testid="prompt-busy">
      <span className={r.busy}>
        <Loader size={14} /> {doing}
      </span>
      {steps.length > 0 && <span className={r.note}>{steps.slice(-6).join(" → ")}</span>}
    </output>
  );
}
