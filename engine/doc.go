// Package engine is the pure core of Lejek: what a funnel is, whether it is sound, and what happens to a person in it.
//
// A funnel is data (Graph), a run is a row (Run), a wait is a time (Run.WakeAt). Advance answers, for one run and one
// instant, where the run stands next, what it did on the way and when it wants to be woken:
//
//	Transition = Advance(Plan, Run, Input)
//
//	            wake_at reached, or a signal came
//	  waiting ───────────────────────────────────▶ walking ──▶ waiting   (a wait, its WakeAt set)
//	     ▲                                            │
//	     └── nothing due yet: same seq, new WakeAt    ├──▶ ended        (open end, goal, exit)
//	                                                  └──▶ parked       (loop_limit, broken data)
//
// A run that has ended by itself, without a goal, Lingers while messages of its have not left: Advance lets goals hear on,
// and one that is reached voids them and takes the run to its closing steps.
//
// The package knows no clock, no I/O, no goroutine and no global randomness: time comes in Input.Now, chance comes from
// the contact and the node. The caller commits a Transition whole or not at all.
//
// # From a document to a run
//
//	DecodeBundle ─▶ Bundle ─▶ Validate ─▶ []Problem          (for its author: everything wrong at once)
//	                      └─▶ Compile  ─▶ *Plan              (immutable, shared, kept as long as its version)
//	event ─▶ Plan.Admit ─▶ Admission ─▶ Start ─▶ Run         (the slot is the caller's to win, under the contact's lock)
//	Run ─▶ Advance ─▶ Transition                             (again and again, until it ends)
//	Bundle ─▶ Simulate ─▶ Timeline                           (the same Advance over virtual time; nothing is sent)
//
// # Instants
//
// Three instants are told apart. Input.Now is when a worker looks; rules are asked of it. Run.At is when the run was due
// where it stands; durations count from it and messages are due at it, so that a late worker shifts nothing. Run.WakeAt is
// when the caller should come back; coming early is harmless.
//
// What has happened comes before what time brings: see Advance.
//
// # Adding a kind of step
//
// A kind is one file, kind_<name>.go, that calls Define with a Spec of its config: the entry of the catalogue, which
// palette, inspector, validator and AI read, and the functions that check and run it. The validator learns its fields from
// the catalogue; what fields cannot say goes into Spec.Check. Put a worked bundle into testdata/funnels/kind-<name>.json,
// broken ones into testdata/problems, and run `go test ./engine -update` to see the catalogue change.
package engine
