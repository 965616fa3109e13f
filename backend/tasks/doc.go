// Package tasks does long work that a person watches: imports, exports, drafts by AI.
//
// A task is a row, which is what the person sees, and a River job, which is what does it. Both are made in one transaction.
// The row outlives the job:
//
//	queued ──▶ running ──▶ done
//	   │          │  ▲ ╲
//	   │          │  │  ╲──▶ failed      a fault, or the last attempt
//	   │          │  └── another attempt, from the checkpoint
//	   └──────────┴──▶ cancelled         between two reports
//
// Work writes in its own transactions and reports in the same ones: progress and checkpoint are committed with the data they
// tell of, or not at all. So a kill -9 loses nothing and does nothing twice: the next attempt goes on from the checkpoint.
// Every attempt has a number, and reports only count from the newest, so one that was taken for dead and lives on finds out
// at its next report and stops.
//
// A long task gives its job back to River every minute (ErrYield), so that others get their turn, whatever the size of the
// file. The task of a process that is dead, by its beat, is taken over within seconds (Takeover).
package tasks
