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
// The package knows no clock, no I/O, no goroutine and no global randomness: time comes in Input.Now, chance comes from
// the contact and the node. The caller commits a Transition whole or not at all.
package engine
