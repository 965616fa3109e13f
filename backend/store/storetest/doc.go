// Package storetest gives tests a real Postgres.
//
//	Tx(t)  one transaction, rolled back at the end: about a millisecond. One connection, so nothing in parallel inside.
//	DB(t)  a database of its own, cloned from a migrated template: where commits, locks or several connections matter.
//
// The server is LEJEK_TEST_DATABASE_URL, or else one throw-away embedded server that all test programs of this machine
// share; it ends by itself when the last of them has. Templates are named by the hash of the migrations. The databases'
// time zone is Canada/Newfoundland, half an hour off the full hour and with a clock change, so that code that leans on
// the session's zone fails here and not at a customer's.
package storetest
