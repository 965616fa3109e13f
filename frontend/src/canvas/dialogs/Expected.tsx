import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { IconMail, IconMoon, IconShieldCheck, IconTrendingUp } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { LeaveTime } from "@/ui/LeaveTime";
import type { Inside, Placement, PublishPreview } from "../answers";
import { earliestDays, withoutWaits } from "../days";
import { duration } from "../sentences";
import { useEditor } from "../store";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";

interface Props {
  found: PublishPreview;
  doc: FunnelDocument;
  plan: Placement[];
  /** Those who match now are started too. */
  matching: boolean;
}

/** Who will come, what leaves first, who may be written to, and when not. */
export function Expected({ found, doc, plan, matching }: Props) {
  const { t } = useLingui();
  const { expected } = found;
  const first = useFirstSends(found, doc, plan, matching);
  if (!expected) return null;
  const { starts_per_day: daily, events, days } = expected;
  const names: Record<string, string> = {
    email: t`E-mail`,
    sms: t`SMS`,
    whatsapp: t`WhatsApp`,
    push: t`Push`,
    letter: t`Letter`,
  };
  const n = daily >= 1 ? Math.round(daily) : Math.round(daily * 7);
  return (
    <section className={d.section} data-testid="expected">
      <h3>
        <Trans>What to expect</Trans>
      </h3>
      <ul className={d.rows}>
        <Row icon={<IconTrendingUp size={15} stroke={1.75} />} id="per-day">
          {events === 0
            ? t`Nothing in the last ${days} days would have started it.`
            : daily >= 1
              ? plural(n, { one: "About # person a day starts it", other: "About # people a day start it" })
              : n >= 1
                ? plural(n, { one: "About # person a week starts it", other: "About # people a week start it" })
                : t`Less than one person a week starts it`}
          {events > 0 && (
            <small className={d.words}>
              {plural(events, {
                one: `Judged by # event of the last ${days} days.`,
                other: `Judged by # events of the last ${days} days.`,
              })}
            </small>
          )}
        </Row>
        <Row icon={<IconMail size={15} stroke={1.75} />} id="first-sends">
          {first.people > 0
            ? plural(first.people, { one: "# message within 1 hour", other: "# messages within 1 hour" })
            : first.day === undefined
              ? t`It sends no messages.`
              : first.day >= 1
                ? t`The first message leaves on day ${first.day} after somebody starts.`
                : first.atOnce
                  ? t`The first message leaves as soon as somebody starts.`
                  : first.minutes > 0
                    ? t`The first message leaves ${inWords(first.minutes)} after somebody starts.`
                    : t`The first message leaves after the first wait.`}
          {first.channel && first.people > 0 && (
            <small className={d.words}>
              <LeaveTime channel={first.channel} count={first.people} />
            </small>
          )}
        </Row>
        {expected.channels.map((c) => (
          <Row key={c.channel} icon={<IconShieldCheck size={15} stroke={1.75} />} id={`consent-${c.channel}`}>
            {c.people === 0
              ? t`${names[c.channel] ?? c.channel}: only who agreed to marketing gets it.`
              : t`${names[c.channel] ?? c.channel}: ${c.may} of ${c.people} people agreed to marketing; the others get nothing.`}
          </Row>
        ))}
        {expected.channels.length > 0 && (
          <Row icon={<IconMoon size={15} stroke={1.75} />} id="quiet">
            {expected.quiet ? (
              t`Quiet hours hold: what falls into them leaves when they are over.`
            ) : (
              <>
                {t`No quiet hours: messages may leave at night.`}{" "}
                <Link to="/settings/workspace" style={{ textDecoration: "underline" }}>{t`Set quiet hours`}</Link>
              </>
            )}
          </Row>
        )}
      </ul>
    </section>
  );
}

function Row({ icon, id, children }: { icon: ReactNode; id: string; children: ReactNode }) {
  return (
    <li className={d.row} data-testid={`expected-${id}`}>
      {icon}
      <span>{children}</span>
    </li>
  );
}

/** How many messages leave in the first hour: of those who match now, and of those who are moved. */
function useFirstSends(found: PublishPreview, doc: FunnelDocument, plan: Placement[], matching: boolean) {
  const catalogue = useEditor((s) => s.catalogue);
  const hour = Date.now() + 3_600_000;
  const at = earliestDays(doc, catalogue);
  const steps = doc.graph.nodes.filter((n) => catalogue.kind(n.kind).family === "message" && !n.off && at.has(n.id));
  const soon = steps.filter((n) => (at.get(n.id) ?? 0) < 1 / 24).length;
  const moved = (row: Inside) =>
    plan.some((p) => p.version === row.version && p.node === row.node && p.do === "move") &&
    row.next.some((f) => f.what === "message" && f.at && Date.parse(f.at) < hour);
  const people =
    (matching ? (found.matching_now ?? 0) * Math.min(1, soon) : 0) +
    found.inside.filter(moved).reduce((sum, row) => sum + row.people, 0);
  const day = steps.length > 0 ? Math.floor(Math.min(...steps.map((n) => at.get(n.id) ?? 0))) : undefined;
  const soonest = steps.find((n) => Math.floor(at.get(n.id) ?? 0) === day);
  const direct = withoutWaits(doc, catalogue);
  return {
    people,
    day,
    minutes: Math.round(Math.min(...steps.map((n) => at.get(n.id) ?? 0)) * 1440),
    atOnce: steps.some((n) => direct.has(n.id)),
    channel: soonest && doc.creatives[soonest.id]?.channel,
  };
}

function inWords(minutes: number): string {
  return minutes % 60 === 0
    ? duration({ amount: minutes / 60, unit: "hours" })
    : duration({ amount: minutes, unit: "minutes" });
}
