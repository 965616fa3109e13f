// Package bookings lets people book things that one person has at a time: a consultant, a room, a test drive.
//
// Slots are not stored. They follow from the opening hours, which are local to the resource's zone: each opening is an interval of
// instants (a time the clocks skip is the first instant after the gap, a time they show twice the first of the two), cut into slots of
// equal real length with the buffer between. So a slot is an instant and never ambiguous, also in the night the clocks change.
//
//	Book ──▶ is it a slot, not too soon, not too far ──▶ INSERT ──▶ booking_made
//	                                                       └─ bookings_one_at_a_time ──▶ conflict, with the next free slots
//
// # Failure
//
// Nothing is reserved in memory and no lock is needed: the exclusion constraint lets one of any number of parallel bookings win. A refused
// insert is a savepoint's, so the caller's transaction goes on. The sender's key makes a repeat the same booking.
package bookings
