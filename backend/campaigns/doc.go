// Package campaigns sends one message to an audience, once.
//
//	draft ─▶ (scheduled) ─▶ freezing ─▶ sending ⇄ paused ─▶ done
//	                                       └──────┴──────▶ cancelled
//
// Freezing decides in one statement, which sees everybody at one instant, who is in the audience, and keeps them in portions. Each portion
// becomes one row per recipient in a transaction of its own, so that a million people hold nobody up, and a process that dies is followed
// by one that goes on. Sending begins in the transaction that finds no portion left. Who comes to match later receives nothing.
//
// Sending is a pump's: it turns waiting recipients into rows of messages in bounded batches, never more than a window ahead of what has
// left, and marks the recipient in the same statement. Messages pass the gate and leave as those of funnels do. "Finished" means that no
// recipient waits and no message is open: there is no cursor that could run ahead of what was sent, and nothing to lose when a process
// dies.
//
// Pausing commits the state and holds the messages that have been made but not handed over. It waits for batches that are being leased,
// so when it returns nothing more begins to leave. Resuming lets exactly those go on.
package campaigns
