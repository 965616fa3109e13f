// Package mailwire writes e-mails as bytes, signs them (DKIM) and hands them to mail servers (SMTP), fast: several connections to a server,
// commands and contents in as few packets as the server allows.
//
//	Message ─▶ Encode ─▶ Signer.Sign ─▶ Pool ─▶ Conversation: MAIL RCPT DATA │ content . MAIL RCPT DATA │ content . ...
//
// The same message always gives the same bytes: a second attempt carries what the first one carried.
//
// # Certainty
//
// An Answer says of each message whether it was taken, was certainly not, or may have been. Only from the moment at which its content is
// written until the server has answered for it is nobody certain; Pool tells its caller right before that moment begins.
package mailwire
