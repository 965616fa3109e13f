// Package people keeps the contacts of a workspace: who they are, what is known about them, what they agreed to.
//
// Identity is the external id, else the e-mail address (folded), else the phone number. Whoever names a person by several
// of them that belong to different contacts gets a conflict that names both; only Merge makes two contacts one.
//
// What a merged contact was called leads to who took it in: its id by merged_into, its identities as aliases, until somebody is given
// one. Who is found by an alias keeps the identities they have.
//
// Every change goes one way: lock the contacts (FOR NO KEY UPDATE, sorted), change them in memory, write all of them
// set-wise, and post what happened as internal events to the inbox in the same transaction. events.React meets those with
// funnels later, so that a change made by hand, by an import, by an event or by a step of a funnel has the same
// consequences.
//
//	Input ──▶ check ──▶ lock by identity ──▶ edits in memory ──▶ write rows, consents, inbox
//	             │              │
//	             └─ fault       └─ two owners: fault.Conflict
//
// Functions that take a store.Tx run in the caller's transaction and hold the contacts' locks until it ends.
package people
