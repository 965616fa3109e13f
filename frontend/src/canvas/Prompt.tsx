import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconArrowUp, IconSparkles, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { isProblem } from "@/api/problem";
import type { AiDraft, AiNews } from "./answers";
import { api } from "./api";
import { follow } from "./drafting";
import { undoIt } from "./edits";
import { PromptBefore } from "./PromptBefore";
import { makeProposal, partialProposal } from "./proposal";
import r from "./review.module.css";
import { type Answer, Spoken } from "./Spoken";
import { say, set, useEditor, useEditorStore } from "./store";
import type { FunnelDocument } from "./types";

/** One sentence that becomes a suggestion on the canvas: a whole funnel, or a change of the one there is. Never an edit by itself. */
export function Prompt() {
  const { t, i18n } = useLingui();
  const store = useEditorStore();
  const input = useRef<HTMLInputElement>(null);
  const prompting = useEditor((s) => s.prompting);
  const asked = useEditor((s) => s.asked);
  const empty = useEditor((s) => s.doc.graph.nodes.length <= 1);
  const [text, setText] = useState("");
  const [focused, setFocused] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const stop = useRef<AbortController>(null);

  const ask = async (sentence: string, anew = false) => {
    const prompt = sentence.trim();
    if (!prompt) return;
    halt();
    const mine = new AbortController();
    stop.current = mine;
    const { doc, funnel } = store.getState();
    setText(prompt);
    setAnswer({ kind: "busy", stage: "", steps: [] });
    try {
      const task = await api.ask(prompt, i18n.locale, funnel.id, doc, anew);
      const draft = await follow(task.id, mine.signal, (news) => hear(prompt, doc, news));
      if (mine.signal.aborted) return;
      take(prompt, doc, draft);
    } catch (error) {
      if (mine.signal.aborted) return;
      clear();
      const reason =
        (isProblem(error) && error.detail) ||
        t`The assistant does not answer. Nothing was changed. Try again in a moment.`;
      setAnswer({ kind: "refuse", reason, again: true });
    }
  };

  const hear = (prompt: string, base: FunnelDocument, news: AiNews) => {
    setAnswer((was) => {
      const busy = was?.kind === "busy" ? was : { kind: "busy" as const, stage: "", steps: [] };
      if (news.kind === "reset") return { ...busy, steps: [], stage: "reserve" };
      if (news.kind === "stage") return { ...busy, stage: news.stage ?? "" };
      if (news.kind === "steps" && news.text) return { ...busy, steps: [...busy.steps, news.text] };
      return busy;
    });
    if (news.kind === "reset") clear();
    if (news.kind === "steps" && news.graph && base.graph.nodes.length <= 1)
      set(store, { proposal: partialProposal(prompt, base, news.graph) });
  };

  /** Takes away what is drawn so far. */
  const clear = () => {
    if (store.getState().proposal?.partial) set(store, { proposal: undefined });
  };
  const halt = () => {
    stop.current?.abort();
    clear();
  };

  const take = (prompt: string, base: FunnelDocument, draft: AiDraft) => {
    clear();
    if (draft.outcome === "clarify")
      return setAnswer({
        kind: "clarify",
        questions: (draft.questions ?? []).map((q, i) => ({ text: q, options: draft.choices?.[i] ?? [] })),
        notes: draft.assumptions ?? [],
      });
    if (draft.outcome === "unchanged")
      return setAnswer({
        kind: "nothing",
        words: draft.explanation ?? "",
        notes: draft.assumptions ?? [],
        undo: draft.change?.undo ?? false,
      });
    if (draft.outcome !== "graph" || !draft.graph)
      return setAnswer({
        kind: "refuse",
        reason: draft.message || draft.reason || draft.task.error || t`This could not be turned into a funnel.`,
        again: draft.task.state === "failed",
      });
    const proposal = makeProposal(prompt, base, draft);
    if (proposal.suggestions.length === 0 && !draft.change?.name)
      return setAnswer({ kind: "nothing", words: "", notes: draft.assumptions ?? [], undo: false });
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
      onFocus={() => setFocused(true)}
      onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && setFocused(false)}
    >
      {answer && (
        <Spoken
          answer={answer}
          choose={(option) => void ask(`${text}\n${option}`)}
          again={() => void ask(text)}
          anew={empty ? undefined : () => void ask(text, true)}
          undo={() => {
            undoIt(store);
            setAnswer(undefined);
            setText("");
          }}
          close={() => setAnswer(undefined)}
        />
      )}
      {focused && !answer && <PromptBefore text={text} choose={(prompt) => setText(prompt)} />}
      <div className={r.line}>
        <IconSparkles size={18} stroke={1.75} />
        <input
          ref={input}
          aria-label={empty ? t`Describe a funnel` : t`Describe a funnel or a change`}
          placeholder={
            empty
              ? t`Describe the funnel, such as “welcome new people, remind them after 3 days”`
              : t`Say what to change, such as “make the wait 3 days and add an SMS”`
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
              halt();
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
      <span className="visually-hidden">
        <Trans>The sentence stays here until a suggestion is on the canvas.</Trans>
      </span>
    </form>
  );
}
