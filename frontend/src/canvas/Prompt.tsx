import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Loader } from "@mantine/core";
import { IconArrowUp, IconSparkles, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { isProblem } from "@/api/problem";
import { type AiDraft, api } from "./api";
import { makeProposal } from "./proposal";
import r from "./review.module.css";
import { say, set, useEditor, useEditorStore } from "./store";

type Answer =
  | { kind: "busy"; label: string }
  | { kind: "clarify"; questions: string[] }
  | { kind: "refuse"; reason: string }
  | { kind: "nothing" };

/** One sentence that becomes a suggestion on the canvas. Never an edit by itself. */
export function Prompt() {
  const { t, i18n } = useLingui();
  const store = useEditorStore();
  const input = useRef<HTMLInputElement>(null);
  const prompting = useEditor((s) => s.prompting);
  const asked = useEditor((s) => s.asked);
  const empty = useEditor((s) => s.doc.graph.nodes.length <= 1);
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Answer>();
  const stop = useRef<AbortController>(null);

  const ask = async (sentence: string) => {
    const prompt = sentence.trim();
    if (!prompt) return;
    stop.current?.abort();
    const mine = new AbortController();
    stop.current = mine;
    const { doc, funnel } = store.getState();
    setText(prompt);
    setAnswer({ kind: "busy", label: "" });
    try {
      const task = await api.ask(prompt, i18n.locale, funnel.id, doc);
      const draft = await finished(task.id, mine.signal, (label) => setAnswer({ kind: "busy", label }));
      if (mine.signal.aborted) return;
      take(prompt, doc, draft);
    } catch (error) {
      if (mine.signal.aborted) return;
      const reason =
        (isProblem(error) && error.detail) ||
        t`The assistant does not answer. Nothing was changed. Try again in a moment.`;
      setAnswer({ kind: "refuse", reason });
    }
  };

  const take = (prompt: string, base: Parameters<typeof makeProposal>[1], draft: AiDraft) => {
    if (draft.outcome === "clarify") return setAnswer({ kind: "clarify", questions: draft.questions ?? [] });
    if (draft.outcome !== "graph" || !draft.graph)
      return setAnswer({
        kind: "refuse",
        reason: draft.reason || draft.task.error || t`This could not be turned into a funnel.`,
      });
    const proposal = makeProposal(prompt, base, draft);
    if (proposal.suggestions.length === 0) return setAnswer({ kind: "nothing" });
    setAnswer(undefined);
    setText("");
    set(store, { proposal, selection: [], picker: undefined, prompting: false });
    say(store, t`A suggestion is on the canvas`);
    requestAnimationFrame(() => store.getState().camera?.fit());
  };

  useEffect(() => {
    if (!prompting) return;
    input.current?.focus();
    set(store, { prompting: false });
  }, [prompting, store]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a sentence brought along is asked once
  useEffect(() => {
    if (!asked) return;
    set(store, { asked: undefined });
    void ask(asked);
  }, [asked]);
  useEffect(() => () => stop.current?.abort(), []);

  const busy = answer?.kind === "busy";
  return (
    <form
      className={r.prompt}
      data-testid="prompt"
      onSubmit={(e) => {
        e.preventDefault();
        void ask(text);
      }}
    >
      {answer && (
        <Spoken
          answer={answer}
          choose={(option) => void ask(`${text}\n${option}`)}
          close={() => setAnswer(undefined)}
        />
      )}
      <div className={r.line}>
        <IconSparkles size={18} stroke={1.75} />
        <input
          ref={input}
          aria-label={t`Describe a funnel`}
          placeholder={
            empty
              ? t`Describe the funnel, such as “welcome new people, remind them after 3 days”`
              : t`Describe a whole funnel; it replaces this draft`
          }
          value={text}
          disabled={busy}
          maxLength={4000}
          onChange={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => e.key === "Escape" && e.currentTarget.blur()}
        />
        {!text && <kbd className={r.key}>/</kbd>}
        {busy ? (
          <ActionIcon
            size="md"
            aria-label={t`Stop`}
            onClick={() => {
              stop.current?.abort();
              setAnswer(undefined);
            }}
          >
            <IconX size={17} stroke={1.75} />
          </ActionIcon>
        ) : (
          <ActionIcon
            size="md"
            type="submit"
            variant="default"
            aria-label={t`Ask the assistant`}
            disabled={!text.trim()}
          >
            <IconArrowUp size={17} stroke={1.75} />
          </ActionIcon>
        )}
      </div>
    </form>
  );
}

function Spoken({ answer, choose, close }: { answer: Answer; choose: (option: string) => void; close: () => void }) {
  const { t } = useLingui();
  if (answer.kind === "busy")
    return (
      <output className={r.answer} style={{ display: "flex", gap: 8, alignItems: "center" }}>
        <Loader size={14} /> {answer.label || t`Drafting…`}
      </output>
    );
  return (
    <div className={r.answer} role="status" data-testid={`prompt-${answer.kind}`}>
      <ActionIcon size="xs" aria-label={t`Close`} onClick={close} style={{ float: "right" }}>
        <IconX size={14} stroke={1.75} />
      </ActionIcon>
      {answer.kind === "nothing" && (
        <p>
          <Trans>Nothing would change: the funnel is already like that, or the sentence was not understood.</Trans>
        </p>
      )}
      {answer.kind === "refuse" && <p>{answer.reason}</p>}
      {answer.kind === "clarify" && answer.questions.map((q) => <Question key={q} text={q} choose={choose} />)}
    </div>
  );
}

/** "When? (at once | after a day)": the choices of a question become buttons. */
function Question({ text, choose }: { text: string; choose: (option: string) => void }) {
  const m = /^(.*?)\s*[([]([^)\]]*\|[^)\]]*)[)\]]\s*$/.exec(text);
  const options = m?.[2]?.split("|").map((o) => o.trim()) ?? [];
  return (
    <div>
      <p>{m?.[1] ?? text}</p>
      {options.length > 0 && (
        <div className={r.options}>
          {options.map((o) => (
            <Button key={o} size="sm" onClick={() => choose(o)}>
              {o}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Asks for the task until it has ended. */
async function finished(id: string, signal: AbortSignal, tell: (label: string) => void): Promise<AiDraft> {
  for (let wait = 250; ; wait = Math.min(1000, wait * 1.3)) {
    const draft = await api.answer(id);
    const { state, label } = draft.task;
    if (state === "done" || state === "failed" || state === "cancelled" || signal.aborted) return draft;
    tell(label ?? "");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
