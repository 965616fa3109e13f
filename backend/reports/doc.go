// Package reports counts what became of messages and what came of them, as SEMANTICS 8 says: opened and clicked of the delivered,
// bounced and undelivered of the sent, a goal credited to the last message before it, revenue by currency.
//
// The truth is the events. Count reads the marks that the same events left on message rows, which is quick; Recount folds the events
// themselves, which is slow and always possible. Both answer the same, and a test holds them to it.
package reports
