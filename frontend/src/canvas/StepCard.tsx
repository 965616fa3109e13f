import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconAlertTriangle, IconCheck, IconPencil, IconPlayerPause, IconSparkles } from "@tabler/icons-react";
import { memo, useEffect, useRef } from "react";
import { acceptSuggestion, rejectSuggestion } from "./assistant";
import { CardCounts, Here, LossMark } from "./CardCounts";
import c from "./card.module.css";
import { cardView } from "./cardView";
import { CommentTag } from "./comments/CommentsPanel";
import { Decide } from "./Decide";
import { startDrag } from "./dragging";
import { FindingMark } from "./FindingMark";
import { openInspector, wish } from "./focus";
import { triggerIcon, viewOfKind } from "./kinds";
import { MarkTag } from "./MarkTag";
import { menuWhenHeld, openMenu } from "./menus";
import { useFullName } from "./names";
import { EditedBy } from "./Present";
import { entryRows, triggersOf } from "./sizes";
import { select, useEditor, useEditorStore } from "./store";
import { triggerSentence } from "./triggers";
import type { Step } from "./types";
import { useView } from "./view";
import { problemText } from "./words";

const muted = `${c.tag} ${c.tagMute}`;

/** Shift and a click take a card in, or out again. */
function toggled(selection: readonly string[], id: string): string[] {
  return selection.includes(id) ? selection.filter((x) => x !== id) : [...selection, id];
}

/** A step on the canvas. It reads what concerns it alone, so that one changed step redraws one card. */
export const StepCard = memo(function StepCard({ step }: { step: Step }) {
  const store = useEditorStore();
  const ref = useRef<HTMLDivElement>(null);
  const catalogue = useEditor((s) => s.catalogue);
  const family = catalogue.kind(step.kind).family;
  const kind = viewOfKind(catalogue, step.kind);
  const view = useView((s) => cardView(s, step));
  const { title, selected, problems, unset, ghost, accepted, mark, order } = view;

  useFullName(step.id, ref);
  useEffect(() => {
    // Focus follows the selection only while the keyboard is on the canvas: a click into the inspector keeps its field.
    if (selected && document.activeElement?.closest("[data-canvas]")) ref.current?.focus({ preventScroll: true });
  }, [selected]);

  const join = step.kind === "join";
  const shape =
    family === "trigger" ? c.entry : family === "wait" ? c.capsule : family === "logic" || unset ? c.flow : "";
  const errors = problems.filter((p) => p.severity === "error");
  const classes = [
    join ? c.pill : `${c.card} ${shape}`,
    selected && c.selected,
    unset && c.unset,
    errors.length > 0 && c.problem,
    step.off && c.off,
    ghost === "added" && c.ghost,
    ghost === "added" && accepted && c.accepted,
    ghost === "changed" && c.changed,
    view.simulating && (order === undefined ? c.unlit : c.lit),
    view.lifted && c.lifted,
    mark && c[`mark-${mark}`],
  ];
  const props = {
    ref,
    role: "button",
    tabIndex: view.focusable ? 0 : -1,
    "aria-pressed": selected,
    "aria-describedby": join ? undefined : `marks-${step.id}`,
    "data-testid": `step-${step.id}`,
    "data-family": unset ? "plain" : family,
    className: `nopan ${classes.filter(Boolean).join(" ")}`,
    title: title.length > 28 ? title : undefined,
    onClick: (e: React.MouseEvent) =>
      select(store, e.shiftKey ? toggled(store.getState().selection, step.id) : [step.id]),
    onContextMenu: (e: React.MouseEvent) => openMenu(store, e, "step", step.id),
    onDoubleClick: () => openInspector(store),
    onPointerDown: (e: React.PointerEvent) => {
      startDrag(store, e, { step: step.id, title });
      menuWhenHeld(store, e, step.id);
    },
  };
  const Icon = kind.icon;
  const number = order !== undefined && <span className={c.order}>{order + (order === 0 ? 1 : 0)}</span>;
  if (join) {
    return (
      <div className={c.pillBox}>
        <div {...props}>
          <Icon size={15} stroke={1.75} />
          <span>{title}</span>
          {mark && <MarkTag mark={mark} />}
          {number}
        </div>
      </div>
    );
  }
  return (
    <>
      <div {...props}>
        <div className={c.inner}>
          <span className={c.chip}>
            <Icon size={family === "wait" ? 15 : 17} stroke={1.75} />
          </span>
          {family === "wait" ? (
            <span className={c.name}>{title}</span>
          ) : (
            <div className={c.text}>
              <div className={c.word}>
                {kind.word()}
                {view.day && <i>{view.day}</i>}
              </div>
              <div className={c.name}>{title}</div>
              {!shape && <div className={c.summary}>{view.summary}</div>}
            </div>
          )}
          {family === "wait" && <Here step={step.id} n={view.count?.here} />}
        </div>
        {family === "trigger" && triggersOf(step).length > 0 && <TriggerRows step={step} />}
        {!shape && (
          <div className={c.strip}>
            {errors[0] ? (
              <span className={c.bad}>{problemText(errors[0])}</span>
            ) : step.off ? (
              <Trans>people pass by</Trans>
            ) : (
              <CardCounts step={step.id} family={family} count={view.count} />
            )}
          </div>
        )}
        {number}
      </div>
      {/* Beside the card, not in it: the card is a button, and a button holds no others. */}
      <span id={`marks-${step.id}`} className={`nopan ${c.corner}`} data-testid={`marks-${step.id}`}>
        {step.off && (
          <span className={muted}>
            <IconPlayerPause size={12} stroke={1.75} />
            <Trans>Turned off</Trans>
          </span>
        )}
        {unset && (
          <span className={muted}>
            <Trans>Not set up yet</Trans>
          </span>
        )}
        {problems.length > 0 && (
          <button
            type="button"
            tabIndex={-1}
            className={`${c.tag} ${errors.length > 0 ? c.tagError : c.tagWarning}`}
            data-testid={`problem-${problems[0]?.code}`}
            title={problems.map(problemText).join("\n")}
            onClick={(e) => {
              e.stopPropagation();
              wish(store, step.id, problems[0]?.field ?? "");
            }}
          >
            <IconAlertTriangle size={12} stroke={1.75} />
            {errors.length > 0
              ? plural(errors.length, { one: "# problem", other: "# problems" })
              : plural(problems.length, { one: "# hint", other: "# hints" })}
          </button>
        )}
        {!ghost && view.count?.loss && !view.simulating && <LossMark step={step.id} n={view.count.lost} />}
        {!ghost && view.found && <FindingMark found={view.found} />}
        {!ghost && !mark && view.talks > 0 && <CommentTag step={step.id} open={view.talks} className={muted} />}
        {!ghost && view.visited && <EditedBy step={step.id} />}
        {ghost && <GhostTag what={ghost} accepted={accepted} />}
        {mark && <MarkTag mark={mark} />}
      </span>
      {ghost && ghost !== "moved" && !accepted && (
        <Decide
          title={title}
          className={`nopan ${c.decide}`}
          yes={c.yes}
          size={15}
          onAccept={() => acceptSuggestion(store, step.id)}
          onReject={() => rejectSuggestion(store, step.id)}
        />
      )}
    </>
  );
});

function GhostTag({ what, accepted }: { what: string; accepted: boolean }) {
  if (accepted)
    return (
      <span className={`${c.tag} ${c.tagAccepted}`}>
        <IconCheck size={12} stroke={1.75} />
        <Trans>Accepted</Trans>
      </span>
    );
  return (
    <span className={`${c.tag} ${c.tagGhost}`}>
      {what === "changed" ? <IconPencil size={12} stroke={1.75} /> : <IconSparkles size={12} stroke={1.75} />}
      {what === "changed" ? (
        <Trans>Changed</Trans>
      ) : what === "moved" ? (
        <Trans>Leads elsewhere</Trans>
      ) : (
        <Trans>Suggested</Trans>
      )}
    </span>
  );
}

function TriggerRows({ step }: { step: Step }) {
  const all = triggersOf(step);
  const rows = all.length > entryRows + 1 ? all.slice(0, entryRows) : all;
  return (
    <div className={c.triggers}>
      {rows.map((trigger, i) => {
        const { title, detail } = triggerSentence(trigger);
        const Icon = triggerIcon(trigger.kind);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no identity but their place
          <div key={i}>
            {i > 0 && (
              <div className={c.or}>
                <Trans>or</Trans>
              </div>
            )}
            <div className={c.trigger}>
              <Icon size={15} stroke={1.75} />
              <span>{title}</span>
              {detail && <em>{detail}</em>}
            </div>
          </div>
        );
      })}
      {rows.length < all.length && (
        <div>
          <div className={c.or}>
            <Trans>or</Trans>
          </div>
          <div className={c.trigger}>
            <Trans>{all.length - rows.length} more</Trans>
          </div>
        </div>
      )}
    </div>
  );
}
