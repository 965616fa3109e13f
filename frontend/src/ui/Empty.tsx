import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./ui.module.css";

interface EmptyProps {
  icon: Icon;
  title: ReactNode;
  /** What this place is for, and why one would want it. */
  text?: ReactNode;
  /** One primary action. */
  action?: ReactNode;
  family?: string;
  compact?: boolean;
}

/** A place with nothing in it yet: what it is, why one wants it, one thing to do. */
export function Empty({ icon: Sign, title, text, action, family = "message", compact }: EmptyProps) {
  return (
    <div className={classes.empty} data-compact={compact || undefined} data-family={family}>
      <span className={classes.emptyIcon}>
        <Sign size={compact ? 18 : 22} stroke={1.75} aria-hidden />
      </span>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {action && <div className={classes.emptyAction}>{action}</div>}
    </div>
  );
}
