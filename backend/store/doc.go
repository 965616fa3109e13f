// Package store is how Lejek reads and writes Postgres: the queries, one file per aggregate, compiled by sqlc, and InTx, in
// which every change happens.
//
// Queries take a DB, which is a pool or a transaction, so that they compose. Time is given: a transaction reads the
// business clock once and every row it writes uses that instant. No statement here asks the database for the hour.
//
// Whoever changes a person, or a person's runs, first locks the contact's row (LockContacts, in sorted order). The
// generated files are made by `make gen` from queries/*.sql and the migrations, and never edited.
package store
