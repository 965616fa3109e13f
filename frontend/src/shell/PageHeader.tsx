import type { ReactNode } from "react";
import classes from "./header.module.css";
import { SendingControl } from "./SendingControl";

interface PageHeaderProps {
  title: ReactNode;
  /** A number or a few words beside the title. */
  meta?: ReactNode;
  /** A badge beside the title; unlike the words it is never cut. */
  status?: ReactNode;
  /** What one can do here; at most one filled button. */
  actions?: ReactNode;
  /** The way up, above the title. */
  back?: ReactNode;
  /** The title is not the page's heading; the page has its own. */
  plain?: boolean;
  /** On the card colour with a line below, for pages that fill the window. */
  bar?: boolean;
}

export function PageHeader({ title, meta, status, actions, back, bar, plain }: PageHeaderProps) {
  return (
    <header className={bar ? classes.bar : classes.header}>
      <div className={classes.title}>
        {back}
        {plain ? <p className="cut">{title}</p> : <h1>{title}</h1>}
        {status && <span className={classes.status}>{status}</span>}
        {meta && <span className="meta num">{meta}</span>}
      </div>
      <div className={classes.right}>
        <SendingControl />
        {actions}
      </div>
    </header>
  );
}

/** The page's width and gutters, below the header. */
export function PageBody({ children, narrow }: { children: ReactNode; narrow?: boolean }) {
  return (
    <div className={classes.body} data-narrow={narrow || undefined}>
      {children}
    </div>
  );
}
