import { Trans, useLingui } from "@lingui/react/macro";
import { type Icon, IconBulb, IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { aiStatusQuery } from "@/api/ai";
import { api } from "./api";
import { ideasFor } from "./ideas";
import r from "./review.module.css";
import { useEditor } from "./store";

/** Before a sentence is sent: what could be asked for, what would draw it, what that costs, and what was asked for before. */
export function PromptBefore({ text, choose }: { text: string; choose: (prompt: string) => void }) {
  const { t, i18n } = useLingui();
  const funnel = useEditor((s) => s.funnel.id);
  const status = useQuery(aiStatusQuery).data;
  const before = useQuery({ queryKey: ["ai", "prompts", funnel], queryFn: () => api.prompts(funnel) }).data;
  const doc = useEditor((s) => s.doc);
  const catalogue = useEditor((s) => s.catalogue);
  if (!status) return null;
  const number = (n: number) => n.toLocaleString(i18n.locale);
  const left = number(Math.max(0, status.budget.day_tokens - status.spent.day));
  const cost = number(status.estimate);
  const prompts = [...new Set((before?.items ?? []).map((p) => p.prompt))].slice(0, 3);
  const ideas = ideasFor(doc, catalogue)
    .map((idea) => i18n._(idea))
    .filter((idea) => !prompts.includes(idea))
    .slice(0, 4 - Math.min(2, prompts.length));
  return (
    <div className={r.before} data-testid="prompt-before">
      {!text && <Sentences label={t`Asked before`} icon={IconHistory} of={prompts} choose={choose} />}
      {!text && <Sentences label={t`You could ask`} icon={IconBulb} of={ideas} choose={choose} />}
      <p className={r.note} data-testid="prompt-cost">
        {status.why === "quota" ? (
          <Trans>The budget for models is used up: the built-in planner will draw, without AI.</Trans>
        ) : status.engine === "offline" ? (
          <Trans>The built-in planner will draw, without AI. It costs nothing.</Trans>
        ) : (
          <Trans>
            {status.engine} will draw: about {cost} tokens, {left} left today.
          </Trans>
        )}
      </p>
    </div>
  );
}

interface SentencesProps {
  label: string;
  icon: Icon;
  of: string[];
  choose: (sentence: string) => void;
}

function Sentences({ label, icon: Sign, of, choose }: SentencesProps) {
  if (of.length === 0) return null;
  return (
    <ul aria-label={label}>
      {of.map((sentence) => (
        <li key={sentence}>
          {/* Focus must not leave the line before the click counts. */}
          <button type="button" onMouseDown={(e) => e.preventDefault()} onClick={() => choose(sentence)}>
            <Sign size={14} stroke={1.75} aria-hidden />
            <span>{sentence}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
