// Package providers speaks to those who carry messages, each over its real protocol, behind one interface.
//
//	kind              channel    protocol                              a key makes a second hand-over harmless
//	smtp              e-mail     SMTP, DKIM                            no
//	resend            e-mail     HTTPS, bearer key                     24 hours
//	sendgrid          e-mail     HTTPS, bearer key                     no
//	ses               e-mail     HTTPS, Signature Version 4            no
//	twilio            SMS        HTTPS, basic                          no
//	twilio_whatsapp   WhatsApp   HTTPS, basic                          no
//	webpush           push       RFC 8030, 8291, 8292 (VAPID)          a topic replaces what was not shown yet
//	lob               letter     HTTPS, basic                          24 hours
//	pdf               letter     a request per letter, signed          the receiver's
//	http              any        a request per message, signed         the receiver's
//
// An adapter knows no database and no clock but the machine's. It never tries anything twice: what an answer means, and whether to try again, is
// decided by who called. Slack and Telegram carry notices to the team, not messages to people: see package connections.
package providers
