// Package replies reads what people answer, in the workspace's own mailbox.
//
//	message ─▶ Reply-To: mailbox+token ─▶ somebody answers ─▶ IMAP, every minute ─▶ one row per mail ─▶ message_replied
//
// A mail belongs to a message by the token of the address it was sent to, else by the Message-ID it refers to. What a machine answers, such
// as "I am on holiday", is kept as that and is no event. What a mail server returns tells that the message bounced; an address that does not
// exist is suppressed at once.
//
// Nothing in the mailbox is changed, not even what is marked as read. A mail counts once by its Message-ID: after a crash between reading
// and noting, and after the mailbox was numbered anew, it is read again and found again.
package replies
