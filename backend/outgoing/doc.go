// Package outgoing reaches addresses that people of a workspace name, without letting them reach what is behind our own door.
//
// Whether an address may be reached is decided on the IP address that is about to be dialled, after the name was resolved, so a name
// cannot mean one address when it is looked at and another when it is called. Redirects go through the same door, three at most, never
// from https to http, and never carry our headers to another host. No proxy of the environment is used. Answers are cut at a
// megabyte after unpacking, and the caller's context ends whatever takes too long.
package outgoing
