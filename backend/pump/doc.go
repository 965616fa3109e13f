// Package pump drives queues of due rows: runs to wake, messages to deliver, internal events to hand on. It knows no domain: a
// Job says how to drain one batch, the pump says when.
//
// Each process keeps a few perpetual River jobs per Job (its slots). One of them works for some fifteen seconds:
//
//	drain a batch ──▶ full? again at once
//	      ▲              │ no
//	      └── nudge, ────┘
//	          or poll 200 ms (5 ms under the manual clock)
//
// and then snoozes for no time, which keeps it `available`: no timer of River's and no leader is needed, and the other slot covers
// the gap. Slots are concurrency tokens, not partitions: every slot drains all lanes, so a process that dies takes nothing with it.
//
// Of the slots of a process only one looks for work at a time; when it has found some, another one goes on looking.
//
// # Failure
//
// A drain commits one transaction or none; its row locks are the lease, so kill -9 frees the rows at once. An error or a panic of a
// drain is logged, counted and answered by a pause that grows from 50 to 500 ms; it never reaches River, where it would use up attempts.
// A slot of a process whose beat is older than 15 s finishes instead of multiplying. A supervisor inserts what is missing every 5 s,
// so that an operator who deletes a job in River's interface stops nothing for longer. An operator who pauses a queue there stops it within
// 5 s.
package pump
