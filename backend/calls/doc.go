// Package calls makes the calls of steps: requests to the outside, and what needs the database beyond one person. A step asks by an
// engine.Call, the runner writes it in the transaction that advances the run, and the run stays. Two perpetual jobs drive the rows:
//
//	queued ──lease──▶ working ──▶ answered   outside: no transaction is open while the network is asked
//	   ▲                 │    └──▶ failed
//	   └── backoff ──────┘
//	queued ─────────────────────▶ answered   inside: the caller works in the transaction that answers
//
// and the answer becomes the signal engine.EventCallAnswered under the lock of the person, with the wake time of the run. A call whose
// run has ended or gone on is void.
//
// # Failure
//
// An outside call is made at least once: kill -9 leaves it `working`, and when its lease (machine time) is over it is made again, with the
// same idempotency key, which names the run and the visit. An inside call is made exactly once. Errors and panics of callers are
// retried with growing, jittered pauses until the attempts are used up or the deadline would pass; then the run leaves by the port its
// step keeps for that, with the reason in its journal. Errors that will not go away are marked by Final.
package calls
