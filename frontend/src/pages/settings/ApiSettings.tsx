import { useLingui } from "@lingui/react/macro";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useCan } from "@/api/session";
import { Panel } from "@/ui/Panel";
import { TestEvent } from "@/ui/testEvent/TestEvent";
import { ApiTokens } from "./ApiTokens";
import { EventLog } from "./EventLog";
import { Snippets } from "./Snippets";

/** How a shop or app tells us what happened: keys, code to copy, a trial, and a log of what each event did. */
export function ApiSettings() {
  const { t } = useLingui();
  const can = useCan();
  const { event } = useSearch({ from: "/settings/api" });
  // A fresh secret goes into the snippets, so that what is copied runs as it is.
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Snippets secret={secret} />
      {can("tokens.write") && <ApiTokens secret={secret} onSecret={setSecret} />}
      {can("events.write") && (
        <Panel title={t`Send a test event`}>
          <TestEvent event={event} />
        </Panel>
      )}
      {/* It grows as it is read: nothing stands below it. */}
      <EventLog />
    </>
  );
}
