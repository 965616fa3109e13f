import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Slot } from "../document";
import { move } from "../edits";
import { set, useEditorStore } from "../store";
import d from "./dialogs.module.css";

/** After a drop: the step by itself, or with all that hangs below it. */
export function DropMenu({ step, slot, x, y }: { step: string; slot: Slot; x: number; y: number }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const ref = useRef<HTMLDivElement>(null);
  const close = () => set(store, { dialog: undefined });
  useEffect(() => {
    ref.current?.querySelector("button")?.focus();
    const outside = (e: PointerEvent) => {
      if (!ref.current?.contains(e.target as Node)) set(store, { dialog: undefined });
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [store]);
  return (
    <div
      ref={ref}
      role="menu"
      tabIndex={-1}
      aria-label={t`Move the step`}
      className={d.menu}
      style={{ left: Math.min(x, window.innerWidth - 250), top: Math.min(y, window.innerHeight - 100) }}
      onKeyDown={(e) => e.key === "Escape" && close()}
    >
      <button type="button" role="menuitem" onClick={() => move(store, step, slot, "alone")}>
        <Trans>Move only this step</Trans>
      </button>
      <button type="button" role="menuitem" onClick={() => move(store, step, slot, "below")}>
        <Trans>Move this step and all below</Trans>
      </button>
    </div>
  );
}
