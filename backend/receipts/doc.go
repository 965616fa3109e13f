// Package receipts takes in what providers report about messages that left: delivered, opened, followed, bounced, complained of, answered.
//
//	report ─▶ signature, time, kind ─▶ one row per item, once by the provider's own key ─▶ 200
//	rows   ─▶ pump ─▶ the message it is about ─▶ people, tracking ─▶ inbox ─▶ events.React
//
// Nothing is believed that is not signed with what the workspace entered: each kind of provider has one file that checks its signature in
// constant time and reads its words. A report older than its tolerance is refused, and within it the row's key makes a repeat nothing.
//
// # Order
//
// Reports come twice, late and in any order, also before the process that handed the message over has noted that it did. Every fact about
// a message is an instant that is set once, so the end is the same whatever the order. A report about a message that is not known yet waits
// and is asked again with growing pauses for three days; then it is left, with its reason.
//
// # What follows
//
// An address that does not exist, or whose owner complained, is suppressed at once; one that refused for a while after so many messages in
// a row, as the workspace set. Who leaves by the provider's own link, or by a word such as STOP in a text, has left here too.
package receipts
