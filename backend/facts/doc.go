// Package facts reads people as rules and merge text see them: engine.Contact, for many people of many workspaces in few queries.
//
// Lock reads and locks contacts in one statement, which is how every transaction that touches a person's runs begins. What else a plan
// asks about (events, roll-ups, consents, messages of the run) is loaded by Fill only where some plan of the batch needs it.
package facts
