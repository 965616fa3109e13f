import { Trans, useLingui } from "@lingui/react/macro";
import { IconPlus } from "@tabler/icons-react";
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import c from "./canvas.module.css";
import { NumberButton, short } from "./insight/NumberButton";
import type { Route } from "./layout";
import { lookOf, passedAt, wayKeys } from "./look";
import { openMenu } from "./menus";
import { dropThere } from "./moving";
import { select, set, useEditor, useEditorStore } from "./store";
import { portLabel } from "./words/ports";

/** The '+' of every way out, with its count, and the labels of branches. */
export function SlotLayer() {
  const routes = useEditor((s) => s.flow.routes);
  return (
    <ViewportPortal>
      {routes.map((route) => (
        <Places key={`${route.from}/${route.port}`} route={route} />
      ))}
    </ViewportPortal>
  );
}

/** What stands on one way out. A way that only moves moves two boxes; what is in them stays as it is. */
const Places = memo(function Places({ route }: { route: Route }) {
  const { from, port, kind, label, plus, labelAt } = route;
  return (
    <>
      {labelAt && (
        <div className={c.label} style={{ transform: `translate(${labelAt[0]}px, ${labelAt[1]}px)`, zIndex: 2 }}>
          <BranchLabel from={from} port={port} label={label} />
        </div>
      )}
      <div
        className={c.slot}
        style={{ transform: `translate(${plus[0]}px, ${plus[1]}px)`, zIndex: 3 }}
        data-slot={`${from}/${port}`}
      >
        <SlotMark from={from} port={port} label={label} ends={kind === "end"} branch={labelAt !== undefined} />
      </div>
    </>
  );
});

interface Way {
  from: string;
  port: string;
  label: string;
}

const SlotMark = memo(function SlotMark({ from, port, label, ends, branch }: Way & { ends: boolean; branch: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const open = useEditor((s) => s.picker?.slot?.from === from && s.picker.slot.port === port);
  const over = useEditor((s) => s.drag?.over?.from === from && s.drag.over.port === port);
  const lit = useEditor((s) => {
    const legal = s.drag?.slots ?? s.moving?.slots;
    return legal !== undefined && wayKeys(legal).has(`${from}/${port}`);
  });
  const choosing = useEditor((s) => s.moving !== undefined);
  const here = useEditor((s) => {
    const at = s.moving?.slots[s.moving.at];
    return at?.from === from && at.port === port;
  });
  const chosen = useEditor((s) => s.edge?.from === from && s.edge.port === port);
  const readOnly = useEditor((s) => s.proposal !== undefined || s.simulation !== undefined || s.readOnly === true);
  const after = useEditor((s) => lookOf(s).title(from));
  const name = label ? t`Add a step after “${after}”, ${portLabel(port, label)}` : t`Add a step after “${after}”`;
  return (
    <>
      {!readOnly && (
        <button
          type="button"
          tabIndex={-1}
          className={`nopan ${c.plus} ${ends ? c.plusOpen : ""}`}
          data-hot={open || over || here || chosen}
          data-lit={lit}
          data-choosing={choosing}
          data-testid={`insert-${from}-${port}`}
          aria-label={name}
          onContextMenu={(e) => {
            select(store, []);
            set(store, { edge: { from, port } });
            openMenu(store, e, "edge");
          }}
          onClick={() => {
            if (!choosing) set(store, { picker: { slot: { from, port }, x: -1, y: -1 } });
            else if (lit) dropThere(store, { from, port });
          }}
        >
          <IconPlus stroke={1.75} />
        </button>
      )}
      {ends ? (
        <span className={c.beside}>
          <Trans>ends here</Trans>
        </span>
      ) : (
        !branch && <EdgeCount from={from} port={port} />
      )}
    </>
  );
});

const BranchLabel = memo(function BranchLabel({ from, port, label }: Way) {
  const text = usePassed(from, port);
  const lit = useEditor((s) => s.simulation?.lit.has(`${from}/${port}`) ?? false);
  const ghost = useEditor((s) => s.proposal?.suggestions.some((g) => g.step === from && g.what === "added") ?? false);
  return (
    <span
      className={`${lit ? c.labelLit : ""} ${ghost ? c.labelGhost : ""}`}
      data-testid={text ? `count-${from}-${port}` : undefined}
    >
      <b>{portLabel(port, label)}</b>
      {text && <Passed from={from} port={port} text={text} />}
    </span>
  );
});

function EdgeCount({ from, port }: { from: string; port: string }) {
  const text = usePassed(from, port);
  if (!text) return null;
  return (
    <span className={c.beside} data-testid={`count-${from}-${port}`}>
      <Passed from={from} port={port} text={text} />
    </span>
  );
}

/** "384 · 93 %": how many took this way, and of those who came to the step. */
function usePassed(from: string, port: string): string {
  return useEditor((s) => {
    const passed = passedAt(s.counts, from, port);
    if (passed === undefined) return "";
    const of = s.counts?.nodes[from]?.came;
    return of && of > passed ? `${short(passed)} · ${Math.round((100 * passed) / of)} %` : short(passed);
  });
}

/** The count of a way, which opens the people who took it. */
function Passed({ from, port, text }: { from: string; port: string; text: string }) {
  const n = useEditor((s) => passedAt(s.counts, from, port)) ?? 0;
  return (
    <NumberButton node={from} what="went" port={port} n={n}>
      {text}
    </NumberButton>
  );
}
