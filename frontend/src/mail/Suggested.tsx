import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { JSONContent } from "@tiptap/core";
import type { AiWordsData } from "@/api/ai";
import { readable } from "@/canvas/mergeWords";
import type { Block, Creative } from "@/canvas/types";
import { docText } from "./docs";
import m from "./mail.module.css";

interface Props {
  words: AiWordsData;
  busy: boolean;
  take: () => void;
  again: () => void;
  leave: () => void;
}

/** The words that are suggested, who wrote them, and what may be done with them. Nothing is changed yet. */
export function Suggested({ words, busy, take, again, leave }: Props) {
  const { t } = useLingui();
  const creative = words.creative as Creative;
  return (
    <section className={m.suggested} aria-label={t`Suggested text`} aria-live="polite" data-testid="suggested-words">
      <p className={m.suggestedBy}>
        {words.engine === "offline" ? (
          <Trans>Built-in text, no AI model used</Trans>
        ) : (
          <Trans>Suggested by {words.engine}. Check it before you use it.</Trans>
        )}
      </p>
      {creative.subject && <h4>{readable(creative.subject)}</h4>}
      {creative.preheader && <p className={m.suggestedBy}>{readable(creative.preheader)}</p>}
      {creative.title && <h4>{readable(creative.title)}</h4>}
      {linesOf(creative).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {words.notes.length > 0 && (
        <ul>
          {words.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className={m.writeFoot}>
        <Button variant="filled" onClick={take}>
          <Trans>Use this text</Trans>
        </Button>
        <Button loading={busy} onClick={again}>
          <Trans>Try again</Trans>
        </Button>
        <Button variant="subtle" onClick={leave}>
          <Trans>Do not use it</Trans>
        </Button>
      </div>
    </section>
  );
}

/** What a message says, by paragraph. */
function linesOf(creative: Creative): string[] {
  const lines = (block: Block): string[] =>
    block.type === "text"
      ? ((block.doc as JSONContent | undefined)?.content ?? []).map((part) => docText(part))
      : block.type === "button"
        ? [`[ ${block.text} ] ${block.url ?? ""}`]
        : [];
  return [creative.text ?? "", ...creative.blocks.flatMap(lines)].map((line) => readable(line)).filter(Boolean);
}
