// Package creative turns the block document of a message into what leaves.
//
// The work is split in two, so that a message to one person costs microseconds:
//
//	at save    blocks ──▶ MJML with a token per hole ──▶ HTML (official mjml-browser in goja)
//	                  ──▶ each token's place found in the HTML, conditional comments included ──▶ Artifact
//	at send    Artifact + values of one person ──▶ Rendered: subject, HTML, text, reply-to
//
// MJML never sees a value, an address or an attribute of the author, only tokens. What a hole's place is decides how its
// value is escaped: text, quoted attribute or address. A hole anywhere else (a style, a script, a tag's name) is a
// problem and never gets into an artifact.
//
// An Artifact is immutable, plain JSON, and named by the hash of its content. Versions of a funnel pin it.
package creative
