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
// # Failure
//
// A run that fails alone (broken data, a panic of the engine) does not take its neighbours down: it counts an attempt and tries again
// later, and after eight attempts it is parked, with its reason, for somebody to press Retry, Skip or End. Where the database refuses
// a batch the runs are taken one by one, so that only the culprit counts an attempt.
//
// A paused funnel's run is set aside as paused when it becomes due, with the wake time it had; a stopped funnel's ends.
package runner
