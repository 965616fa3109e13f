import { Trans, useLingui } from "@lingui/react/macro";
import { IconPlus } from "@tabler/icons-react";
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { titleOf } from "./kinds";
import type { Route } from "./layout";
import { stepById } from "./ports";
import { set, useEditor, useEditorStore } from "./store";
import { word } from "./words";

/** The '+' of every way out, with its count, and the labels of branches. */
export function SlotLayer() {
  const edges = useEditor((s) => s.flow.edges);
  return (
    <ViewportPortal>
      {edges.map((e) => (
        <SlotMark key={e.id} route={e.data} />
      ))}
    </ViewportPortal>
  );
}

const SlotMark = memo(function SlotMark({ route }: { route: Route }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const key = `${route.from}/${route.port}`;
  const open = useEditor((s) => s.picker?.slot?.from === route.from && s.picker.slot.port === route.port);
  const over = useEditor((s) => s.drag?.over?.from === route.from && s.drag.over.port === route.port);
  const lit = useEditor((s) => s.drag?.slots.some((x) => x.from === route.from && x.port === route.port) ?? false);
  const readOnly = useEditor((s) => s.proposal !== undefined || s.simulation !== undefined);
  const after = useEditor((s) => {
    const step = stepById(s.shown.graph, route.from);
    return step ? titleOf(step, s.catalogue, s.shown) : "";
  });
  const [x, y] = route.plus;
  const end = route.kind === "end";
  const label = route.label ? t`Add a step after “${after}”, ${portLabel(route)}` : t`Add a step after “${after}”`;
  return (
    <>
      {route.labelAt && <BranchLabel route={route} />}
      <div className={c.slot} style={{ transform: `translate(${x}px, ${y}px)`, zIndex: 3 }} data-slot={key}>
        {!readOnly && (
          <button
            type="button"
            tabIndex={-1}
            className={`nopan ${c.plus} ${end ? c.plusOpen : ""}`}
            data-hot={open || over}
            data-lit={lit}
            data-testid={`insert-${route.from}-${route.port}`}
            aria-label={label}
            onClick={() => set(store, { picker: { slot: { from: route.from, port: route.port }, x: -1, y: -1 } })}
          >
            <IconPlus stroke={1.75} />
          </button>
        )}
        {end ? (
          <span className={c.beside}>
            <Trans>ends here</Trans>
          </span>
        ) : (
          !route.labelAt && <EdgeCount route={route} />
        )}
      </div>
    </>
  );
});

function portLabel(route: Route): string {
  return word(`port.${route.port}`, route.label);
}

function BranchLabel({ route }: { route: Route }) {
  const [x, y] = route.labelAt ?? [0, 0];
  const text = usePassed(route);
  const lit = useEditor((s) => s.simulation?.lit.has(`${route.from}/${route.port}`) ?? false);
  const ghost = useEditor(
    (s) => s.proposal?.suggestions.some((g) => g.step === route.from && g.what === "added") ?? false,
  );
  return (
    <div
      className={`${c.label} ${lit ? c.labelLit : ""} ${ghost ? c.labelGhost : ""}`}
      style={{ transform: `translate(${x}px, ${y}px)`, zIndex: 2 }}
    >
      <span data-testid={text ? `count-${route.from}-${route.port}` : undefined}>
        <b>{portLabel(route)}</b>
        {text}
      </span>
    </div>
  );
}

function EdgeCount({ route }: { route: Route }) {
  const text = usePassed(route);
  if (!text) return null;
  return (
    <span className={c.beside} data-testid={`count-${route.from}-${route.port}`}>
      {text}
    </span>
  );
}

/** "384 · 93 %": how many took this way, and of those who came to the step. */
function usePassed(route: Route): string {
  return useEditor((s) => {
    const passed = s.counts?.edges.find((e) => e.from === route.from && e.port === route.port)?.passed;
    if (passed === undefined) return "";
    const of = s.counts?.nodes[route.from]?.passed;
    const n = passed.toLocaleString();
    return of && of !== passed ? `${n} · ${Math.round((100 * passed) / of)} %` : n;
  });
}
