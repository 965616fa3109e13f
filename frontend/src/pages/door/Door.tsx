import { IconFilter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { LanguageChoice } from "@/shell/LanguageChoice";
import classes from "./door.module.css";

/** The frame of the pages before one is inside: mark, one card with one form, languages. */
export function Door({ title, text, children }: { title: ReactNode; text?: ReactNode; children?: ReactNode }) {
  return (
    <main className={classes.door}>
      <div className={classes.mark}>
        <span>
          <IconFilter size={20} stroke={2.4} aria-hidden />
        </span>
        Lejek
      </div>
      <div className={classes.card}>
        <h1>{title}</h1>
        {text && <p className={classes.text}>{text}</p>}
        {children}
      </div>
      <div className={classes.languages}>
        <LanguageChoice />
      </div>
    </main>
  );
}
