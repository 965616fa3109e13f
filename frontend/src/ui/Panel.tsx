import type { ReactNode } from "react";
import classes from "./panel.module.css";

interface PanelProps {
  title?: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Rows and tables go to the edge; prose and forms do not. */
  flush?: boolean;
  label?: string;
  id?: string;
}

/** A card on the canvas with an optional head. */
export function Panel({ title, meta, actions, children, flush, label, id }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={label} id={id}>
      {title && (
        <header className={classes.head}>
          <h2>{title}</h2>
          {meta && <span className="meta num">{meta}</span>}
          {actions && <div className={classes.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}
