// Package events is where an event meets contacts, runs and funnels, and the only such place.
//
//	API batch ──▶ Ingest ──┐                      ┌──▶ signals of active runs whose version mentions the name, and of runs
//	                       ├──▶ React, under the  │    that ended with unsent marketing, if it may be a goal of theirs
//	inbox pump ──▶ Drain ──┘    contacts' locks   ├──▶ new runs of funnels whose trigger fits
//	                                              └──▶ reaction on the event row, for the live log
//
// The contact row is the mutex of a person: every contact of a batch is locked FOR NO KEY UPDATE in sorted order before anything
// else is read, so an event and a timeout, or two equal triggers on two connections, are decided one after the other.
//
// Numbers of properties are float64, but a whole number beyond 2^53 is an id and comes in as the text of its digits (engine.KeepDigits, and
// a cell of an import): as a key, in merge text and in saved answers nothing of it is lost, and rules compare it as a text.
//
// # Failure
//
// Everything happens in the caller's transaction: an error leaves nothing behind, and a client that sends the batch again with the
// same event ids gets `duplicate` for what had been committed. Backstops do not depend on the lock: event_keys makes an event
// unique per source, runs_slot and runs_occurrence make a second run for one slot or one trigger occurrence impossible.
//
// An imported or late event (more than 24 hours) is counted but starts, wakes and ends nothing. Funnels that start each other stop
// at chain depth 10.
package events
