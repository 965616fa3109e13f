import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";
import { Failure } from "@/ui/Failure";
import { RowSkeletons } from "@/ui/Skeletons";
import { useTexts } from "./useTexts";
import classes from "./why.module.css";

const whyQuery = (funnel: string, contact: string) => ({
  queryKey: ["contact", contact, "why", funnel],
  queryFn: () => ask(api.GET("/funnels/{id}/why", { params: { path: { id: funnel }, query: { contact } } })),
  staleTime: 0,
});

/** Why a person is in a funnel, is not, or waits; whether they would enter now; and what happened at each step. */
export function WhyAnswer({ funnel, contact }: { funnel: string; contact: string }) {
  const { t } = useLingui();
  const texts = useTexts();
  const why = useQuery(whyQuery(funnel, contact));
  const say = (s: Schemas["Sentence"]) => texts(s.text);
  if (why.error) return <Failure error={why.error} reset={() => why.refetch()} compact />;
  if (!why.data) return <RowSkeletons rows={1} />;
  const { said, enter, barred, steps } = why.data;
  const missed = steps.filter((step) => step.said.code === "message_never");
  return (
    <div className={classes.why} data-testid="why-answer">
      <p className={classes.said}>{say(said)}</p>
      {missed.map((step) => (
        <p key={`${step.node} ${step.at}`}>{say(step.said)}</p>
      ))}
      {barred.map((sentence) => (
        <p key={sentence.text.en} className={classes.barred} data-testid="why-barred">
          {say(sentence)}
        </p>
      ))}
      <p className="meta">{say(enter)}</p>
      {steps.length > 0 && (
        <details>
          <summary className="meta">{t`What happened at each step`}</summary>
          <ol className={classes.steps}>
            {steps.map((step) => (
              <li key={`${step.node} ${step.at} ${step.said.code}`}>{say(step.said)}</li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
