// Package agenda keeps the times funnels start at: dates of people, such as a birthday, and recurring times for an audience.
//
//	a version goes live ──▶ take in ──▶ date_watches ──▶ build ──▶ date_dues ──▶ inbox: date_reached
//	                              └───▶ schedules ─────────────────────────────▶ inbox: schedule_due, for each of the audience
//
// What live funnels want is compared with what is kept, so publishing, rolling back, stopping and deleting need no word with this
// package. A person's rows are computed anew in the transaction in which their fields or zone change (Recompute).
//
// Each coming of a date has a name, the day it stands for, which no zone and no hour changes. A row says which one the person waits for
// and which one they were told of, so moving west tells nobody twice, and moving east, past the hour, tells them at once. The same name is
// the occurrence of the run it starts (events): a new version that asks for another hour starts nobody again for the same day.
//
// # Failure
//
// Every step is one transaction over rows with a due instant or a cursor: a killed process leaves the step done or to do. An
// occurrence and the cursor behind the people told of it are written together, so nobody is told twice.
package agenda
