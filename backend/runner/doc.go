// Package runner wakes runs that are due: it asks the engine what happens next and commits the answer.
//
// One batch is one transaction:
//
//	lease due runs (SKIP LOCKED) ─▶ lock and read their contacts (SKIP LOCKED) ─▶ plans, signals, facts
//	      ─▶ engine.Advance for each run, in memory ─▶ messages, contact changes, journal, runs: set-wise
//
// A run whose contact somebody holds is left aside; it stays due. No network is touched. The row locks are the lease, so a process that
// dies gives everything back at once, and a commit whose outcome nobody learnt is never repeated from memory: the next lease reads
// what is true. The update of runs compares the seq each run had (the fence); one row less than leased fails the whole batch.
//
// # After the end
//
// A run is done when its last message is queued, and quiet hours, a cap or the outbox may hold that for a day. Until its marketing has left
// the run lingers (runs.Unsent): package events still puts what may be a goal in front of it and makes it due, so a row that is done may have
// a wake_at. Either a goal voids what has not left and the run goes on from there, or it stays as it was. A restart, a step that takes people
// out and an operator end it as if it were inside (runs.End). For re-entry it is outside.
//
// # Failure
//
// A run that fails alone (broken data, a panic of the engine) does not take its neighbours down: it counts an attempt and tries again
// later, and after eight attempts it is parked, with its reason, for somebody to press Retry, Skip or End. Where the database refuses
// a batch the runs are taken one by one, so that only the culprit counts an attempt.
//
// A paused funnel's run is set aside as paused when it becomes due, with the wake time it had; a stopped funnel's ends.
package runner
