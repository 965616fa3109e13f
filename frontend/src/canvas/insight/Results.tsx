import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useFormat } from "@/ui/format";
import { api } from "../api";
import { useEditor } from "../store";
import type { Step } from "../types";
import i from "./insight.module.css";
import { NumberButton } from "./NumberButton";
import { usePeriodName } from "./PeriodSwitch";
import { SplitResults } from "./SplitResults";
import { type OpenNumber, useInsight } from "./state";

/** All numbers of a step with their shares, each a way to its people; of a split also which arm does better. */
export function Results({ step }: { step: Step }) {
  const { t } = useLingui();
  const format = useFormat();
  const count = useEditor((s) => s.counts?.nodes[step.id]);
  const funnel = useEditor((s) => s.funnel);
  const period = useInsight((s) => s.period);
  const name = usePeriodName();
  const splits = useQuery({
    queryKey: ["funnel", funnel.id, "splits", period],
    queryFn: () => api.splits(funnel.id, period),
    enabled: step.kind === "split" && funnel.version > 0,
    refetchInterval: 10_000,
  });
  if (funnel.version === 0)
    return (
      <p className="meta">
        <Trans>Nobody was here yet: the funnel is not published.</Trans>
      </p>
    );
  const came = count?.came ?? 0;
  const m = count?.messages;
  const lines: [OpenNumber["what"], string, number, number][] = [
    ["came", t`Came`, came, 0],
    ["here", t`Here now`, count?.here ?? 0, 0],
    ["went", t`Went on`, count?.passed ?? 0, came],
    ["lost", t`Left the funnel here`, count?.lost ?? 0, came],
  ];
  if (m)
    lines.push(
      ["sent", t`Sent`, m.sent, came],
      ["delivered", t`Delivered`, m.delivered, m.sent],
      ["opened", t`Opened`, m.opened, m.delivered],
      ["clicked", t`Clicked`, m.clicked, m.delivered],
      ["skipped", t`Passed over`, m.skipped, came],
      ["failed", t`Failed`, m.failed, came],
    );
  const split = splits.data?.items.find(({ node }) => node === step.id);
  return (
    <div className={i.results} data-testid="results">
      {split && <SplitResults split={split} />}
      <div>
        <p className="meta">{name(period)}</p>
        <div className={i.table}>
          {lines.map(([what, label, n, of]) => (
            <Line key={what} label={label} share={of > 0 ? format.percent(n / of) : ""}>
              <NumberButton node={step.id} what={what} n={n} reachable />
            </Line>
          ))}
        </div>
      </div>
    </div>
  );
}

function Line({ label, share, children }: { label: string; share: string; children: React.ReactNode }) {
  return (
    <>
      <span>{label}</span>
      <span>{children}</span>
      <span className="num">{share}</span>
    </>
  );
}
