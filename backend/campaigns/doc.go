// Package campaigns sends one message to an audience, once.
//
//	draft ─▶ (scheduled) ─▶ freezing ─▶ sending ⇄ paused ─▶ done
//	                                       └──────┴──────▶ cancelled
//
// Freezing writes the audience, one row per recipient, in one statement of one transaction: it is there whole or not at all, and it is
// written once. Who comes to match later receives nothing.
//
// Sending is a pump's: it turns waiting recipients into rows of messages in bounded batches, never more than a window ahead of what has
// left, and marks the recipient in the same statement. Messages pass the gate and leave as those of funnels do. "Finished" means that no
// recipient waits and no message is open: there is no cursor that could run ahead of what was sent, and nothing to lose when a process
// dies.
//
// Pausing commits the state and holds the messages that have been made but not handed over. It waits for batches that are being leased,
// so when it returns nothing more begins to leave. Resuming lets exactly those go on.
package campaigns
