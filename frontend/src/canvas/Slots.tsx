import { Trans, useLingui } from "@lingui/react/macro";
import { memo } from "react";
import c from "./canvas.module.css";
import { NumberButton, short } from "./insight/NumberButton";
import type { Route } from "./layout";
import { lookOf, passedAt, suggestedAt, wayKeys } from "./look";
import { openMenu } from "./menus";
import { dropThere } from "./moving";
import { type EditorState, select, set, useEditorStore } from "./store";
import { useView } from "./view";
import { portLabel } from "./words/ports";

/** The '+' of every way out of a step, with its count, and the labels of branches. */
export const Slots = memo(function Slots({ ways }: { ways: Route[] }) {
  return ways.map((route) => <Places key={route.port} route={route} />);
});

/** What stands on one way out. A way that only grows moves two boxes; what is in them stays as it is. */
const Places = memo(function Places({ route }: { route: Route }) {
  const { from, port, kind, label, plus, labelAt } = route;
  return (
    <>
      {labelAt && (
        <div className={c.label} style={{ left: labelAt[0], top: labelAt[1] }}>
          <BranchLabel from={from} port={port} label={label} />
        </div>
      )}
      <div className={c.slot} style={{ left: plus[0], top: plus[1] }} data-slot={`${from}/${port}`}>
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
  const { hot, lit, choosing, readOnly, after, passed, share } = useView((s) => {
    const legal = s.drag?.slots ?? s.moving?.slots;
    const here = [s.picker?.slot, s.drag?.over, s.moving?.slots[s.moving.at], s.edge];
    return {
      hot: here.some((at) => at?.from === from && at.port === port),
      lit: legal !== undefined && wayKeys(legal).has(`${from}/${port}`),
      choosing: s.moving !== undefined,
      readOnly: s.proposal !== undefined || s.simulation !== undefined || s.readOnly === true,
      after: lookOf(s).title(from),
      ...(ends || branch ? nobody : passing(s, from, port)),
    };
  });
  const name = label ? t`Add a step after “${after}”, ${portLabel(port, label)}` : t`Add a step after “${after}”`;
  return (
    <>
      {!readOnly && (
        <button
          type="button"
          tabIndex={-1}
          className={`nopan ${c.plus} ${ends ? c.plusOpen : ""}`}
          data-hot={hot}
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
        />
      )}
      {ends ? (
        <span className={c.beside}>
          <Trans>ends here</Trans>
        </span>
      ) : (
        share && (
          <span className={c.beside} data-testid={`count-${from}-${port}`}>
            <NumberButton node={from} what="went" port={port} n={passed}>
              {share}
            </NumberButton>
          </span>
        )
      )}
    </>
  );
});

const BranchLabel = memo(function BranchLabel({ from, port, label }: Way) {
  const { passed, share, lit, ghost } = useView((s) => ({
    ...passing(s, from, port),
    lit: s.simulation?.lit.has(`${from}/${port}`) ?? false,
    ghost: suggestedAt(s, from) === "added",
  }));
  return (
    <span
      className={`${lit ? c.labelLit : ""} ${ghost ? c.labelGhost : ""}`}
      data-testid={share ? `count-${from}-${port}` : undefined}
    >
      <b>{portLabel(port, label)}</b>
      {share && (
        <NumberButton node={from} what="went" port={port} n={passed}>
          {share}
        </NumberButton>
      )}
    </span>
  );
});

const nobody = { passed: 0, share: "" };

/** How many took this way, and "384 · 93 %" of those who came to the step; empty while nothing is known. */
function passing(s: EditorState, from: string, port: string): { passed: number; share: string } {
  const passed = passedAt(s.counts, from, port);
  if (passed === undefined) return nobody;
  const of = s.counts?.nodes[from]?.came;
  const share = of && of > passed ? `${short(passed)} · ${Math.round((100 * passed) / of)} %` : short(passed);
  return { passed, share };
}
