import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AiWordsData, aiStatusQuery, writeWords } from "@/api/ai";
import { isProblem } from "@/api/problem";
import { useCan } from "@/api/session";
import { patchCreative } from "@/canvas/document";
import { titleOf } from "@/canvas/kinds";
import { apply, useEditor, useEditorStore } from "@/canvas/store";
import type { Creative, Step } from "@/canvas/types";
import m from "./mail.module.css";
import { Suggested } from "./Suggested";
import { useVariables } from "./variables";
import { takeWords } from "./words";

interface Props {
  step: Step;
  slug: string;
  creative: Creative;
}

/** A sentence that becomes the words of this message: a suggestion first, one step to undo after. */
export function WriteForMe({ step, slug, creative }: Props) {
  const { t, i18n } = useLingui();
  const store = useEditorStore();
  const client = useQueryClient();
  const can = useCan();
  const readOnly = useEditor((s) => s.readOnly || s.proposal !== undefined);
  const title = useEditor((s) => titleOf(step, s.catalogue, s.shown));
  const variables = useVariables();
  const [open, setOpen] = useState(false);
  const [sentence, setSentence] = useState("");
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<AiWordsData>();
  const [problem, setProblem] = useState("");
  if (!can("ai.use") || readOnly) return null;
  if (!open)
    return (
      <Button
        size="sm"
        style={{ alignSelf: "flex-start" }}
        leftSection={<IconSparkles size={14} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        <Trans>Write it for me…</Trans>
      </Button>
    );
  const write = async () => {
    if (!sentence.trim() || busy) return;
    setBusy(true);
    setProblem("");
    setFound(undefined);
    try {
      const placed = variables.map((v) => v.expr).filter((expr) => /^(event|vars)\./.test(expr));
      const words = await writeWords(sentence, i18n.locale, creative, placed);
      if (words.creative) setFound(words);
      else setProblem(words.message ?? "");
    } catch (error) {
      setProblem((isProblem(error) && error.detail) || t`The server does not answer.`);
    } finally {
      setBusy(false);
      void client.invalidateQueries({ queryKey: aiStatusQuery.queryKey });
    }
  };
  const take = (words: Creative) => {
    apply(store, t`write “${title}” from a sentence`, (doc) => patchCreative(doc, slug, (x) => takeWords(x, words)));
    setFound(undefined);
    setOpen(false);
    setSentence("");
  };
  return (
    <div className={m.write} data-testid="write-for-me">
      <TextInput
        autoFocus
        label={t`What should it say, in a sentence?`}
        placeholder={t`Thank them for the order and ask for a review`}
        maxLength={1000}
        value={sentence}
        onChange={(e) => setSentence(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape") {
            e.stopPropagation();
            setOpen(false);
          }
          if (e.key !== "Enter") return;
          e.preventDefault();
          void write();
        }}
        description={<Cost />}
        error={problem}
      />
      {found?.creative ? (
        <Suggested
          words={found}
          busy={busy}
          take={() => take(found.creative as Creative)}
          again={() => void write()}
          leave={() => setFound(undefined)}
        />
      ) : (
        <div className={m.writeFoot}>
          <Button loading={busy} disabled={!sentence.trim()} onClick={() => void write()}>
            {problem ? <Trans>Try again</Trans> : <Trans>Write it</Trans>}
          </Button>
          <Button variant="subtle" onClick={() => setOpen(false)}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}

/** Who would write, and what that costs at most. */
function Cost() {
  const { i18n } = useLingui();
  const status = useQuery(aiStatusQuery).data;
  if (!status) return null;
  const number = (n: number) => n.toLocaleString(i18n.locale);
  const cost = number(status.estimate_words);
  const left = number(Math.max(0, status.budget.day_tokens - status.spent.day));
  if (status.why === "quota") return <Trans>The budget for models is used up: only built-in texts, without AI.</Trans>;
  if (status.engine === "offline") return <Trans>No model is connected: only built-in texts, without AI.</Trans>;
  return (
    <Trans>
      {status.engine} will write: at most about {cost} tokens, {left} left today.
    </Trans>
  );
}
