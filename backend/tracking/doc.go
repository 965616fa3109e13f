// Package tracking notices what people do with messages: that they open one, and which links they follow.
//
//	render  ─▶ Links: a picture /o/, a link /c/ with its target sealed inside, a short link /s/ with its target in short_links
//	fetch   ─▶ Record: one row of hits, then the picture or the redirect, at once; nothing else is decided in the request
//	judging ─▶ five seconds later, when the neighbours of a hit are known: human or machine, and why
//	human   ─▶ Happened: the first open and the first click of each link become message_opened and link_clicked
//
// A link never leads anywhere but where the message led: the target is inside the sealed token, so nobody can make one, and it needs no
// database to redirect, for as long as the installation keeps its secret. Tokens tell nothing to whoever reads them in a log. When a
// person is erased their links go on working: the long ones as they were, the short ones lead to the site's front page.
//
// # Who counts as a machine
//
// Scanners of mail systems follow links before anybody has read the message, and prefetchers load pictures of messages nobody opened. All
// of it is kept, with class and reason, and none of it is an event. Apple's Mail Privacy Protection and Gmail's image proxy hide the
// reader: what they fetch says that the message arrived, not that somebody looked, so neither counts as an open. Who then clicks has
// opened, and counts as both. Opens are therefore a lower bound; clicks are the measure to trust.
package tracking
