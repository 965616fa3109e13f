import { Trans, useLingui } from "@lingui/react/macro";
import { Portal } from "@mantine/core";
import { useEffect, useImperativeHandle, useState } from "react";
import m from "./mail.module.css";
import { filterVariables, useVariables, type Variable } from "./variables";

export interface ListHandle {
  onKey: (e: KeyboardEvent) => boolean;
}

interface Props {
  query: string;
  rect: DOMRect | null;
  choose: (variable: Variable) => void;
  close: () => void;
  ref: React.Ref<ListHandle>;
}

/** The variables there are, below the caret. The caret stays in the text; arrows and Enter are passed in. */
export function VariableList({ query, rect, choose, close, ref }: Props) {
  const { t } = useLingui();
  const found = filterVariables(useVariables(), query);
  const [active, setActive] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts at its first hit
  useEffect(() => {
    setActive(0);
  }, [query]);
  useImperativeHandle(ref, () => ({
    onKey: (e) => {
      if (e.key === "ArrowDown") setActive((i) => Math.min(i + 1, found.length - 1));
      else if (e.key === "ArrowUp") setActive((i) => Math.max(i - 1, 0));
      else if (e.key === "Escape") close();
      else if ((e.key === "Enter" || e.key === "Tab") && found[active]) choose(found[active]);
      else return false;
      e.preventDefault();
      return true;
    },
  }));
  const top = Math.min((rect?.bottom ?? 100) + 6, window.innerHeight - 280);
  const left = Math.min(rect?.left ?? 100, window.innerWidth - 270);
  return (
    <Portal>
      <div className={m.list} role="listbox" aria-label={t`Variables`} style={{ top, left }} data-testid="variables">
        {found.map((v, i) => (
          <div key={v.expr}>
            {v.group !== found[i - 1]?.group && <div className={m.listHead}>{v.group}</div>}
            <button
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              className={m.listItem}
              data-active={i === active}
              onPointerDown={(e) => {
                e.preventDefault();
                choose(v);
              }}
              onPointerMove={() => setActive(i)}
            >
              {v.label}
              <code>{v.expr}</code>
            </button>
          </div>
        ))}
        {found.length === 0 && (
          <p className={m.listHead}>
            <Trans>No variable fits. Events bring their properties along once they have arrived.</Trans>
          </p>
        )}
      </div>
    </Portal>
  );
}
