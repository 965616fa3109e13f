import { useState } from "react";
import { useCan } from "@/api/session";
import { ApiTokens } from "./ApiTokens";
import { EventLog } from "./EventLog";
import { SendTestEvent } from "./SendTestEvent";
import { Snippets } from "./Snippets";

/** How a shop or app tells us what happened: keys, code to copy, a trial, and a log of what each event did. */
export function ApiSettings() {
  const can = useCan();
  // A fresh secret goes into the snippets, so that what is copied runs as it is.
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Snippets secret={secret} />
      {can("events.write") && <SendTestEvent />}
      <EventLog />
      {can("tokens.write") && <ApiTokens secret={secret} onSecret={setSecret} />}
    </>
  );
}
