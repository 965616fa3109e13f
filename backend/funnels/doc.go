// Package funnels keeps the funnels of a workspace: a draft that changes with every save, and versions that never do.
//
//	          save, save, save               pause
//	create ──▶ draft ──publish──▶ live ◀─────────────▶ paused
//	                    ▲           │      resume        │
//	                    │ publish   └───────┬────────────┘ stop: runs end, unsent messages are void
//	                    │                   ▼
//	                    └───────────────stopped ──▶ archived
//
// A save names the revision it started from; a stale one is a conflict that carries the document as it is now, and nothing
// is lost. Saving never judges, publishing does: it is refused while an error stands. Publishing freezes the draft as a
// version with its compiled creatives; new runs use it, people inside finish theirs.
//
// Publishing holds one lock per workspace and the funnel's row; every other change of a funnel holds its row.
package funnels
