// Package webhooks tells customers' systems what happens, as Standard Webhooks says it: id, time and signature in headers, JSON in the body.
//
//	event ─▶ Tell, in its transaction ─▶ a row per endpoint that wants it ─▶ pump ─▶ POST, signed ─▶ 2xx: delivered
//	                                          ▲                                        └▶ else: again, ten times in three days
//	                                          └── replay ◀── dead ◀─────────────────────────┘
//
// A thing is told at least once and its id stays the same, so a receiver that keeps ids hears it once. Order is not promised: each attempt
// stands alone. An endpoint that hangs holds up its own deliveries only, a few at a time. One that answers 410 is switched off.
//
// Addresses go through package outgoing: whatever name is entered, nothing private is reached. A secret is sealed and shown once; for a
// day after it was changed the old one signs too.
package webhooks
