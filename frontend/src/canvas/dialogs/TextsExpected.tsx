import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { IconSparkles } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCan } from "@/api/session";
import { set, useEditor, useEditorStore } from "../store";
import { dollars, type TextStep, textsQuery } from "../texts";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";

/** What texts by AI will cost, before anybody pays for them. */
export function TextsExpected({ doc }: { doc: FunnelDocument }) {
  const store = useEditorStore();
  const funnel = useEditor((s) => s.funnel);
  const writes = doc.graph.nodes.some((n) => n.kind === "ai_generate" && !n.off);
  const allowed = useCan()("ai.use");
  const { data } = useQuery({ ...textsQuery(funnel.id), enabled: writes && allowed });
  if (!data || data.length === 0) return null;
  return (
    <section className={d.section} data-testid="texts-expected">
      <h3>
        <Trans>Texts by AI</Trans>
      </h3>
      <ul className={d.rows}>
        {data.map((step) => (
          <li key={step.step} className={d.row}>
            <IconSparkles size={15} stroke={1.75} />
            <span>
              <TextCost step={step} />
              <button
                type="button"
                className={d.link}
                onClick={() => set(store, { dialog: { kind: "texts", step: step.step } })}
              >
                <Trans>Look at the texts</Trans>
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Combinations, calls, tokens and money of one step, in words. */
export function TextCost({ step }: { step: TextStep }) {
  const { t, i18n } = useLingui();
  const n = (x: number) => x.toLocaleString(i18n.locale);
  const tokens = n(step.tokens_in + step.tokens_out);
  const people = plural(step.people, { one: "# person", other: "# people" });
  const combinations = plural(step.combinations, {
    one: "# combination of what the model may know",
    other: "# combinations of what the model may know",
  });
  const ready = (step.states.approved ?? 0) + (step.states.live ?? 0) + (step.states.waiting ?? 0);
  const missing = step.combinations - (step.states.approved ?? 0);
  return (
    <>
      {step.name ? `${step.name}: ` : ""}
      {t`${people} now, ${combinations}.`}{" "}
      {step.calls === 0
        ? t`All texts are written.`
        : plural(step.calls, { one: "At most # call of the model", other: "At most # calls of the model" }) +
          (step.cost === undefined
            ? t`, about ${tokens} tokens. Enter the price under Settings, AI, to see the cost.`
            : t`, about ${tokens} tokens: ${dollars(step.cost, i18n.locale)}.`)}
      {ready > 0 && step.calls > 0 && ` ${t`${n(ready)} are written already.`}`}
      {step.everybody && (
        <small className={d.words}>{t`The trigger does not tell who comes in, so everybody is counted.`}</small>
      )}
      {step.approved_only && missing > 0 && (
        <small className={d.words}>
          {plural(missing, {
            one: "# combination has no approved text: those people get the fallback.",
            other: "# combinations have no approved text: those people get the fallback.",
          })}
        </small>
      )}
      {step.widest && step.combinations > 200 && (
        <small className={d.words}>
          {t`“${step.widest}” has the most different values. Without it there are far fewer texts to pay for.`}
        </small>
      )}
    </>
  );
}
