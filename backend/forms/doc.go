// Package forms takes in what people send by forms on the outside, and nothing an attacker could not be allowed to.
//
//	answers ──▶ rate, honeypot, origin, fill time ──▶ checked ──┬──▶ counts: contact, consent, list, form_submitted
//	                                                            └──▶ double opt-in: mail ──▶ POST of the signed link ──▶ counts
//
// A form is open to everybody, so what somebody types proves nothing about who they are. Until the address is confirmed, an existing
// person is changed in nothing that is filled already, a refusal they made stays, and the browser is not taken for theirs. With the link
// from the mailbox the answers count as the person's own word, and consent is granted with its proof: the text shown, a keyed hash of the
// network address, the instants. Opening the link changes nothing, because scanners open links too; only its button does.
//
// The raw answers are kept in every case, also those of spam, which does nothing else.
package forms
