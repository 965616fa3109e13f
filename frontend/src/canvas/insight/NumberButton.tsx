import { useLingui } from "@lingui/react/macro";
import i from "./insight.module.css";
import { type OpenNumber, openNumber } from "./state";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Short on the card ("12.3k"), exact in the tooltip. */
export function short(n: number): string {
  return n < 10_000 ? n.toLocaleString() : compact.format(n).toLowerCase();
}

interface NumberButtonProps extends OpenNumber {
  n: number;
  /** In a panel it is a button; on a card, which is a button itself, only a place for the mouse: its Results tab has the same numbers for the keyboard. */
  reachable?: boolean;
  /** What stands beside the number, such as "here". */
  children?: React.ReactNode;
}

/** A number that opens its people. */
export function NumberButton({ n, reachable, children, ...open }: NumberButtonProps) {
  const { t } = useLingui();
  const exact = n.toLocaleString();
  const Element = reachable ? "button" : "span";
  return (
    <Element
      {...(reachable ? { type: "button" as const } : {})}
      className={`nopan ${i.number}`}
      title={t`${exact}: show these people`}
      data-testid={`open-${open.node}-${open.port ?? open.what}`}
      onPointerDown={(e) => e.stopPropagation()}
      onDoubleClick={(e) => e.stopPropagation()}
      onClick={(e) => {
        e.stopPropagation();
        openNumber(open);
      }}
    >
      {children ?? <b>{short(n)}</b>}
    </Element>
  );
}
