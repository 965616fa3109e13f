// Package connections keeps the saved ways of a workspace to other services, and makes the calls of steps over them: web requests,
// payments, notices to the team.
//
// What is secret (keys, tokens, values of headers, the secret that signs reports) is sealed in the row and never leaves the server
// again: not in an answer, a log, an error or a journal. What is asked goes through package outgoing and its door.
package connections
