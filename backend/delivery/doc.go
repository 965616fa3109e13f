// Package delivery lets messages leave, once.
//
// A message row is the outbox: the advance of a run made it, unique per run and visit. Per provider account:
//
//	tokens (GCRA row) ─▶ lease due rows, lock their contacts (both SKIP LOCKED) ─▶ gate ─▶ render
//	   sandbox:  ─▶ body, sent, events: the same transaction
//	   SMTP:     ─▶ body, attempt open, sending: commit (T1) ─▶ hand over ─▶ attempt closed, sent: commit (T2)
//
// The gate asks under the contact's lock whether the person may be written to now: suppression, consent for channel and topic, alive,
// funnel not stopped, visit not void, not later than its expiry. What was handed over before an unsubscribe committed may leave,
// nothing after it.
//
// # Failure
//
// Before T1 commits nothing was said to the provider, so a crash leaves a queued message. Between T1 and T2 nobody knows: the reaper
// closes attempts past their lease as unknown, and the class decides. Marketing stays `unknown` and is not sent again; transactional is
// tried once more. An answer is classified as definite (refused, or certainly not taken) or ambiguous, which is treated like a crash.
// Every attempt carries the same Message-ID and the same bytes, kept in message_bodies.
//
// A failure of the account (no connection, wrong password) uses up no attempt: all its messages wait.
package delivery
