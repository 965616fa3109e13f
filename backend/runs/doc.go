// Package runs ends, pauses, resumes and moves runs from outside: a stopped funnel, an erased or merged person, an operator. Advancing
// them is package runner's work.
//
// Every function runs inside the caller's transaction. Whoever ends the runs of a person holds that person's contact row FOR NO KEY
// UPDATE; whoever ends the runs of a whole funnel holds the funnel's row. An ended run has no wake_at, no signals and no queued
// message, and gives back its slot unless the slot is for ever (re-entry once and each).
package runs
