import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { SegmentedControl, Select } from "@mantine/core";
import { useFormat } from "@/ui/format";
import type { Forecast, Inside, MoveDo, Placement } from "../answers";
import { alsoNamed } from "../changes";
import { titleOf, viewOfKind } from "../kinds";
import { stepById } from "../ports";
import { useEditor } from "../store";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";

/** Which placements say more than "finish on their version". */
export function meant(plan: Placement[]): Placement[] {
  return plan.filter((p) => p.do !== "keep");
}

interface Props {
  inside: Inside[];
  doc: FunnelDocument;
  plan: Placement[];
  change: (plan: Placement[]) => void;
}

/** Who is inside and what becomes of them: stay on their version, come over to a step of the new one, or leave. */
export function MovePlan({ inside, doc, plan, change }: Props) {
  const { t } = useLingui();
  // What was just chosen is shown at once; what it means comes with the server's next answer.
  const rows = inside.map((row) => {
    const asked = plan.find((p) => p.version === row.version && p.node === row.node);
    return asked ? { ...row, do: asked.do, ...(asked.to ? { to: asked.to } : {}) } : row;
  });
  const versions = [...new Set(rows.map((row) => row.version))];
  const put = (row: Inside, placement: Placement) =>
    change([...plan.filter((p) => p.version !== row.version || p.node !== row.node), placement]);
  const all = (what: MoveDo) =>
    change(
      inside
        .filter((row) => what !== "move" || movable(row))
        .map((row) => ({ version: row.version, node: row.node, do: what, ...(row.to ? { to: row.to } : {}) })),
    );
  return (
    <section className={d.section} data-testid="move-plan">
      <div className={d.planHead}>
        <h3>
          <Trans>People inside</Trans>
        </h3>
        <button type="button" className={d.link} onClick={() => all("keep")}>{t`Everyone stays`}</button>
        <button type="button" className={d.link} onClick={() => all("move")}>{t`Everyone moves`}</button>
      </div>
      {versions.map((version) => (
        <div key={version} className={d.rows} style={{ marginTop: 6 }}>
          {rows
            .filter((row) => row.version === version)
            .map((row) => (
              <Row key={row.node} row={row} doc={doc} put={(placement) => put(row, placement)} />
            ))}
        </div>
      ))}
    </section>
  );
}

function movable(row: Inside): boolean {
  return row.to !== undefined && row.stays !== "held";
}

function Row({ row, doc, put }: { row: Inside; doc: FunnelDocument; put: (p: Placement) => void }) {
  const { t } = useLingui();
  const catalogue = useEditor((s) => s.catalogue);
  const steps = doc.graph.nodes.filter((n) => !catalogue.kind(n.kind).no_in);
  const name = (id: string) => {
    const step = stepById(doc.graph, id);
    return step ? titleOf(step, catalogue, doc) : id;
  };
  const draft = useEditor((s) => s.doc);
  const known = alsoNamed(doc, draft);
  const here = stepById(known.graph, row.node);
  const title = here ? titleOf(here, catalogue, known) : row.name;
  const kind = row.kind ? viewOfKind(catalogue, row.kind).word() : "";
  const place = { version: row.version, node: row.node };
  return (
    <div className={d.planRow} data-testid={`inside-${row.version}-${row.node}`}>
      <span className={d.planWho}>
        <b className={d.what}>
          {plural(row.people, { one: "# person", other: "# people" })}, {[kind, title].filter(Boolean).join(": ")}
        </b>
        <small className={d.words}>
          {t`Version ${row.version}`}
          {row.parked ? ` · ${plural(row.parked, { one: "# stuck", other: "# stuck" })}` : ""}
        </small>
      </span>
      <SegmentedControl
        size="sm"
        aria-label={t`What becomes of the people at “${title}”`}
        value={row.do}
        onChange={(v) => {
          const to = row.to ?? (v === "move" ? steps[0]?.id : undefined);
          put({ ...place, do: v as MoveDo, ...(to ? { to } : {}) });
        }}
        data={[
          { value: "keep", label: t`Stay` },
          { value: "move", label: t`Move` },
          { value: "end", label: t`End` },
        ]}
      />
      {row.do === "move" && (
        <Select
          className={d.planTo}
          size="sm"
          aria-label={t`Step they come to`}
          value={row.to ?? null}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
          onChange={(to) => to && put({ ...place, do: "move", to })}
          data={steps.map((n) => ({ value: n.id, label: `${viewOfKind(catalogue, n.kind).word()}: ${name(n.id)}` }))}
        />
      )}
      <Outlook row={row} name={name} />
    </div>
  );
}

/** The sentence that says what a choice means for them, and what they get next. */
function Outlook({ row, name }: { row: Inside; name: (id: string) => string }) {
  const { t } = useLingui();
  const format = useFormat();
  const at = (f: Forecast | undefined) => (f?.at ? format.moment(f.at) : "");
  const stay = () => {
    switch (row.do) {
      case "keep":
        return t`They finish on version ${row.version}.`;
      case "end":
        return t`They leave now; what was about to be sent is not.`;
      default:
        break;
    }
    switch (row.stays) {
      case "same":
        return t`Their wait goes on to its end; messages of the old place that have not left are not sent.`;
      case "recomputed":
        return t`Their wait is counted again, from when they came to it.`;
      case "held":
        return t`They await an answer from outside and stay until it has come; choose another step to move them now.`;
      default:
        return t`They come to that step now.`;
    }
  };
  const next = () => {
    const [first, last] = row.next;
    if (!first || row.do === "end") return "";
    const step = first.name || (first.node ? name(first.node) : "");
    switch (first.what) {
      case "message":
        return last?.at && last.what === "message" && last.node === first.node && last.at !== first.at
          ? t`Next they get “${step}”, between ${at(first)} and ${at(last)}.`
          : t`Next they get “${step}”: ${at(first)}.`;
      case "goal":
        return t`They have reached the goal “${step}” already.`;
      case "end":
        return t`They get nothing more; their way ends: ${at(first)}.`;
      case "stay":
        return t`They wait at “${step}” at least until ${at(first)}.`;
      default:
        return "";
    }
  };
  return (
    <p className={d.planSays}>
      {stay()} {next()}
    </p>
  );
}
