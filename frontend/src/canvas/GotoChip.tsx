import { Trans, useLingui } from "@lingui/react/macro";
import { IconCornerUpLeft, IconX } from "@tabler/icons-react";
import { memo } from "react";
import c from "./card.module.css";
import { leadTo } from "./edits";
import { goToStep } from "./focus";
import type { Route } from "./layout";
import { lookOf } from "./look";
import { openMenu } from "./menus";
import { select, set, useEditor, useEditorStore } from "./store";

/** A way that leads back, or into another part: a chip that names the step and jumps to it. */
export const GotoChip = memo(function GotoChip({ route }: { route: Route }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const to = route.to ?? "";
  const title = useEditor((s) => lookOf(s).title(to) || to);
  const lit = useEditor((s) => s.simulation && (s.simulation.lit.has(`${route.from}/${route.port}`) ? c.lit : c.unlit));
  const chosen = useEditor((s) => s.edge?.from === route.from && s.edge.port === route.port);
  const readOnly = useEditor((s) => s.proposal !== undefined || s.simulation !== undefined);
  return (
    <div className={c.pillBox} data-testid={`goto-${route.from}-${route.port}`}>
      <button
        type="button"
        tabIndex={-1}
        className={`nopan ${c.pill} ${lit ?? ""} ${chosen ? c.selected : ""}`}
        onClick={() => goToStep(store, to)}
        onContextMenu={(e) => {
          select(store, []);
          set(store, { edge: { from: route.from, port: route.port } });
          openMenu(store, e, "edge");
        }}
      >
        <IconCornerUpLeft size={15} stroke={1.75} />
        <span className="cut">
          <Trans>
            Go to: <b>{title}</b>
          </Trans>
        </span>
      </button>
      {!readOnly && (
        <button
          type="button"
          tabIndex={-1}
          className={`nopan ${c.pillEnd}`}
          aria-label={t`Take away: go to “${title}”`}
          title={t`Take away: go to “${title}”`}
          onClick={() => leadTo(store, { from: route.from, port: route.port }, undefined)}
        >
          <IconX size={13} stroke={1.75} />
        </button>
      )}
    </div>
  );
});
