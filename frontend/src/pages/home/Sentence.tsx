import { useLingui } from "@lingui/react/macro";
import { Button, Textarea } from "@mantine/core";
import { IconBolt, IconClock, IconRocket, IconShoppingCart, IconSparkles } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useCan } from "@/api/session";
import { firstIdeas } from "@/ui/firstIdeas";
import classes from "./home.module.css";
import { useDraftFunnel } from "./useDraftFunnel";

/** One sentence becomes a drafted funnel, to be accepted or rejected on the canvas. */
export function Sentence() {
  const { t } = useLingui();
  const can = useCan();
  const [prompt, setPrompt] = useState("");
  const draft = useDraftFunnel();
  const field = useRef<HTMLTextAreaElement>(null);
  const allowed = can("ai.use") && can("funnels.write");

  // The first thing to do here is to write; on a touch screen focus would bring up the keyboard unasked.
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true });
  }, []);

  const starts = [
    {
      icon: IconBolt,
      family: "trigger",
      label: t`signs up`,
      prompt: t(firstIdeas.signup),
    },
    {
      icon: IconShoppingCart,
      family: "human",
      label: t`leaves a cart`,
      prompt: t(firstIdeas.cart),
    },
    {
      icon: IconRocket,
      family: "goal",
      label: t`starts a trial`,
      prompt: t(firstIdeas.trial),
    },
    {
      icon: IconClock,
      family: "wait",
      label: t`has not bought for 90 days`,
      prompt: t(firstIdeas.silence),
    },
  ];
  const submit = (text: string) => {
    if (text.trim()) draft.mutate(text.trim());
    else field.current?.focus();
  };

  return (
    <section className={classes.hero} aria-labelledby="sentence">
      <h1 id="sentence">{t`What should happen when someone…?`}</h1>
      <form
        className={classes.say}
        data-off={!allowed || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          submit(prompt);
        }}
      >
        <IconSparkles className={classes.spark} size={20} stroke={1.75} aria-hidden />
        <Textarea
          className={classes.words}
          variant="unstyled"
          autosize
          minRows={2}
          maxRows={8}
          aria-labelledby="sentence"
          placeholder={t`leaves a cart, gets a reminder after an hour, and hears from us again if they do not buy`}
          disabled={!allowed}
          ref={field}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit(prompt);
            }
          }}
        />
        <Button type="submit" variant="filled" disabled={!allowed} loading={draft.isPending}>
          {t`Draft the funnel`}
        </Button>
      </form>
      {allowed && (
        <div className={classes.starts}>
          <span className="meta">{t`Or start with`}</span>
          {starts.map((start) => (
            <button
              key={start.label}
              type="button"
              className={classes.start}
              data-family={start.family}
              disabled={draft.isPending}
              onClick={() => {
                setPrompt(start.prompt);
                submit(start.prompt);
              }}
            >
              <start.icon size={15} stroke={1.75} aria-hidden />
              {start.label}
            </button>
          ))}
          <Link to="/funnels/new" className={classes.templates}>
            {t`All templates`}
          </Link>
        </div>
      )}
    </section>
  );
}
