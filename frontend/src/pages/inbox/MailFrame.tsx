import { useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import classes from "./inbox.module.css";

export type Paper = "computer" | "phone" | "dark";

/** Some mail programs turn light mails dark by inverting them; pictures stay as they are. */
const inverted =
  "<style>html{filter:invert(.93) hue-rotate(180deg);background:#fff}img{filter:invert(1) hue-rotate(180deg)}</style>";

/** The picture that tells of an open: looking at a mail in the Test inbox is not opening it. */
const watching = /<img src="[^"]*\/o\/[\w-]+"[^>]*>/g;

/** All of the mail, with the margins around its body: they belong to no box that grows. */
export function heightOf(page: Document): number {
  const style = page.defaultView?.getComputedStyle(page.body);
  const around = Number.parseFloat(style?.marginTop || "0") + Number.parseFloat(style?.marginBottom || "0");
  return page.body.scrollHeight + (Number.isFinite(around) ? around : 0);
}

interface MailFrameProps {
  html: string;
  paper: Paper;
  title: string;
  onLink: (href: string) => void;
}

/**
 * A mail on its own paper. The frame is sandboxed without scripts, forms, popups and navigation; it shares our origin only so that
 * we can read its height and take clicks on its links ourselves.
 */
export function MailFrame({ html, paper, title, onLink }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(320);
  const follow = useEffectEvent(onLink);
  const shown = html.replaceAll(watching, "");

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    let observer: ResizeObserver | undefined;
    const prepare = () => {
      const page = element.contentDocument;
      if (!page?.body) return;
      const measure = () => setHeight(Math.max(120, Math.ceil(heightOf(page))));
      measure();
      observer = new ResizeObserver(measure);
      observer.observe(page.body);
      page.addEventListener("click", (event) => {
        const target = event.target as Element | null;
        const link = target?.closest?.("a[href]");
        if (!link) return;
        event.preventDefault();
        follow(link.getAttribute("href") ?? "");
      });
    };
    element.addEventListener("load", prepare);
    return () => {
      element.removeEventListener("load", prepare);
      observer?.disconnect();
    };
  }, []);

  return (
    <div className={classes.paper} data-paper={paper}>
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-same-origin"
        srcDoc={paper === "dark" ? inverted + shown : shown}
        style={{ height }}
        data-testid="mail"
      />
    </div>
  );
}
