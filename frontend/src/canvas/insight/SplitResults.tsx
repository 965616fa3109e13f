import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useFormat } from "@/ui/format";
import type { Split } from "../answers";
import i from "./insight.module.css";
import { NumberButton } from "./NumberButton";

/** The arms compared by the goals their people reached, in plain words of certainty. */
export function SplitResults({ split }: { split: Split }) {
  const { t } = useLingui();
  const format = useFormat();
  const highest = Math.max(0.01, ...split.arms.map((arm) => arm.high));
  const leader = split.arms.find(({ port }) => port === split.leader);
  const name = leader?.label || leader?.port || "";
  const chance = format.percent(leader?.chance ?? 0);
  const words = {
    no_goal: t`The funnel has no goal, so there is nothing to compare the arms by. Add one beside the start.`,
    early: t`Too early to say. So far the difference may well be chance.`,
    likely: t`“${name}” probably leads to more goals: in ${chance} of cases a difference like this is real.`,
    sure: t`“${name}” leads to more goals. That this is chance is very unlikely.`,
    equal: t`Both do equally well: whatever difference there is would not matter.`,
  };
  return (
    <section aria-label={t`Which arm does better`} data-testid={`split-${split.node}`}>
      <p className={i.verdict} data-sure={split.verdict === "sure" || split.verdict === "likely" || undefined}>
        {words[split.verdict]}
      </p>
      {split.arms.map((arm) => (
        <div key={arm.port} className={i.arm} style={{ marginTop: 12 }}>
          <header>
            <b>
              {arm.label || arm.port}
              {arm.hold_out && <span className="meta"> {t`held back`}</span>}
            </b>
            <span className="num">
              <NumberButton node={split.node} what="went" port={arm.port} n={arm.people} reachable>
                {t`${arm.reached} of ${arm.people} reached the goal`}
              </NumberButton>{" "}
              <b>{format.percent(arm.rate)}</b>
            </span>
          </header>
          <div
            className={i.bar}
            title={t`The true share is very likely between ${format.percent(arm.low)} and ${format.percent(arm.high)}`}
          >
            <i style={{ insetInlineStart: 0, width: `${(100 * arm.rate) / highest}%` }} />
            <i
              style={{
                insetInlineStart: `${(100 * arm.low) / highest}%`,
                width: `${(100 * (arm.high - arm.low)) / highest}%`,
              }}
            />
          </div>
        </div>
      ))}
      {split.uplift && <Uplift uplift={split.uplift} />}
    </section>
  );
}

function Uplift({ uplift }: { uplift: NonNullable<Split["uplift"]> }) {
  const { t } = useLingui();
  const format = useFormat();
  const extra = Math.round(Math.abs(uplift.extra));
  const points = `${format.number(Math.round(Math.abs(uplift.points) * 1000) / 10)} %`;
  const known = uplift.verdict === "likely" || uplift.verdict === "sure";
  const said = !known
    ? t`Against those held back it is too early to say what the funnel adds.`
    : uplift.points > 0
      ? plural(extra, {
          one: `The funnel adds ${points} on top of what would have happened anyway: about # goal more.`,
          other: `The funnel adds ${points} on top of what would have happened anyway: about # goals more.`,
        })
      : t`Those held back do better by ${points}. The funnel seems to keep people from their goal.`;
  return (
    <p className={i.verdict} style={{ marginTop: 12 }} data-testid="uplift" data-sure={known || undefined}>
      {said}
    </p>
  );
}
