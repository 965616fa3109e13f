// Package agenda keeps the times funnels start at: dates of people, such as a birthday, and recurring times for an audience.
//
//	a version goes live ──▶ take in ──▶ date_watches ──▶ build ──▶ date_dues ──▶ inbox: date_reached
//	                              └───▶ schedules ─────────────────────────────▶ inbox: schedule_due, for each of the audience
//
// What live funnels want is compared with what is kept, so publishing, rolling back, stopping and deleting need no word with this
// package. A person's rows are computed anew in the transaction in which their fields or zone change (Recompute).
//
// # Failure
//
// Every step is one transaction over rows with a due instant or a cursor: a killed process leaves the step done or to do. An
// occurrence and the cursor behind the people told of it are written together, so nobody is told twice.
package agenda
