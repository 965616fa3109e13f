import { useLingui } from "@lingui/react/macro";
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { eventNamesQuery } from "@/api/events";
import { CopyText } from "@/ui/CopyText";
import { Panel } from "@/ui/Panel";
import classes from "./settings.module.css";
import { type SnippetLanguage, snippet } from "./snippetTexts";

const languages = [
  { value: "curl", label: "curl" },
  { value: "javascript", label: "JavaScript" },
  { value: "go", label: "Go" },
];

export function Snippets({ secret }: { secret?: string }) {
  const { t } = useLingui();
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const names = useQuery(eventNamesQuery);
  const event = names.data?.find((name) => !name.internal)?.name ?? "order_placed";
  const text = snippet(language, { base: window.location.origin, token: secret ?? "lk_live_…", event });
  return (
    <Panel title={t`Tell Lejek what happens`}>
      <p className={classes.lead}>
        {t`Whenever somebody buys, signs up or leaves a cart, your shop or app sends one event. A new person is added by themselves; the same id is counted once.`}
      </p>
      <SegmentedControl
        aria-label={t`Programming language`}
        data={languages}
        value={language}
        onChange={(value) => setLanguage(value as SnippetLanguage)}
      />
      <div className={classes.code}>
        <CopyText className={classes.copy} value={text} label={t`Copy the code`} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <pre tabIndex={0}>
          <code data-testid="snippet">{text}</code>
        </pre>
      </div>
      {!secret && (
        <p className="meta" style={{ marginTop: 8 }}>
          {t`Make a key below and put it in the place of lk_live_…`}
        </p>
      )}
    </Panel>
  );
}
