import { Trans, useLingui } from "@lingui/react/macro";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "./api";
import r from "./review.module.css";
import { useEditor } from "./store";

/** Before a sentence is sent: what would draw it, what that costs, and what was asked for before. */
export function PromptBefore({ text, choose }: { text: string; choose: (prompt: string) => void }) {
  const { t, i18n } = useLingui();
  const funnel = useEditor((s) => s.funnel.id);
  const status = useQuery({ queryKey: ["ai", "status"], queryFn: api.aiStatus, staleTime: 10_000 }).data;
  const before = useQuery({ queryKey: ["ai", "prompts", funnel], queryFn: () => api.prompts(funnel) }).data;
  if (!status) return null;
  const number = (n: number) => n.toLocaleString(i18n.locale);
  const left = number(Math.max(0, status.budget.day_tokens - status.spent.day));
  const cost = number(status.estimate);
  const prompts = [...new Set((before?.items ?? []).map((p) => p.prompt))].slice(0, 4);
  return (
    <div className={r.before} data-testid="prompt-before">
      {!text && prompts.length > 0 && (
        <ul aria-label={t`Asked before`}>
          {prompts.map((p) => (
            <li key={p}>
              {/* Focus must not leave the line before the click counts. */}
              <button type="button" onMouseDown={(e) => e.preventDefault()} onClick={() => choose(p)}>
                <IconHistory size={14} stroke={1.75} aria-hidden />
                <span>{p}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
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
