import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { AiSettingsData } from "@/api/ai";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import classes from "./settings.module.css";

/** How the models are now, and what they were asked in the last 30 days. */
export function AiCalls({ data }: { data: AiSettingsData }) {
  const { t, i18n } = useLingui();
  const n = (x: number) => x.toLocaleString(i18n.locale);
  const ops: Record<string, string> = {
    flowspec: t`Funnels`,
    editspec: t`Changes of funnels`,
    copy: t`Texts of messages`,
    texts: t`Texts for people`,
    rule: t`Segments`,
    probe: t`Tests`,
  };
  if (data.states.length === 0 && data.usage.length === 0) return null;
  return (
    <Panel title={t`How the models do`}>
      <div data-testid="ai-calls">
        {data.states.map((s) => (
          <p
            key={`${s.host} ${s.model}`}
            className={s.breaker === "open" || s.resting ? classes.refusal : classes.lead}
          >
            {s.breaker === "open"
              ? t`${s.model} at ${s.host} failed several times and is left alone for a while.`
              : s.resting
                ? t`${s.model} at ${s.host} is left alone: it asked for a pause, or refused the key.`
                : s.breaker === "half-open"
                  ? t`${s.model} at ${s.host} failed and is tried again with the next request.`
                  : t`${s.model} at ${s.host} is asked as usual.`}
          </p>
        ))}
        {data.usage.length > 0 && (
          <Rows
            heads={[
              { label: t`For` },
              { label: t`Model` },
              { label: t`Calls in 30 days` },
              { label: t`Tokens` },
              { label: t`Usual time` },
            ]}
          >
            {data.usage.map((u) => (
              <Row key={`${u.op} ${u.model}`}>
                {ops[u.op] ?? u.op}
                {u.model}

                <div>
                  {n(u.calls)}
                  {u.failed > 0 && `, ${plural(u.failed, { one: "# failed", other: "# failed" })}`}
                </div>

                {n(u.tokens_in + u.tokens_out)}
                {t`${n(Math.round(u.median_ms / 100) / 10)} s`}
              </Row>
            ))}
          </Rows>
        )}
      </div>
    </Panel>
  );
}
