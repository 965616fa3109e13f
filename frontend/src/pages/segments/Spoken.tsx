import { useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { spokenLanguage } from "@/api/ai";
import { api, ask } from "@/api/client";
import { isProblem } from "@/api/problem";
import type { Rule } from "@/canvas/types";
import classes from "./segments.module.css";

/** A sentence that becomes the conditions below it, and what of it did not. */
export function Spoken({ take }: { take: (rule: Rule, name: string) => void }) {
  const { t, i18n } = useLingui();
  const [sentence, setSentence] = useState("");
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ good: boolean; text: string; notes: string }>();
  const read = async () => {
    if (!sentence.trim()) return;
    setBusy(true);
    try {
      const body = { prompt: sentence, language: spokenLanguage(i18n.locale) } as const;
      const found = await ask(api.POST("/ai/rules", { body }));
      const missed = found.ignored.join(" · ");
      const by = found.engine;
      if (found.rule) take(found.rule as unknown as Rule, found.name ?? "");
      const own = by === "offline";
      const notes = found.notes.join(" ");
      const text = !found.rule
        ? t`Not understood. Try: bought twice in 90 days but not in the last 30.`
        : missed
          ? own
            ? t`Read without AI. Not understood: ${missed}`
            : t`Read by ${by}. Not understood: ${missed}`
          : own
            ? t`Read without AI. Check the conditions below.`
            : t`Read by ${by}. Check the conditions below.`;
      setSaid({ good: Boolean(found.rule) && !missed, text, notes });
    } catch (error) {
      setSaid({ good: false, text: (isProblem(error) && error.detail) || t`The server does not answer.`, notes: "" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={classes.words} data-testid="spoken-rule">
      <TextInput
        label={t`Say who, in a sentence`}
        placeholder={t`Bought twice in 90 days but not in the last 30`}
        maxLength={1000}
        value={sentence}
        onChange={(e) => setSentence(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          void read();
        }}
        description={said && `${said.text} ${said.notes}`}
        error={said && !said.good}
      />
      <Button loading={busy} disabled={!sentence.trim()} onClick={() => void read()} style={{ justifySelf: "start" }}>
        {t`Make conditions of it`}
      </Button>
    </div>
  );
}
