// Package drafts turns a sentence into a proposal: a funnel, a change of one, the words of a message, who a segment means. It gives package
// ai what that must not have: an HTTP client, endpoints and their sealed keys, the names of a workspace, time, and a budget.
//
//	Start (limit per person) -> task -> asking -> Get, Select
//	Words, Rule (limit per person)   -> asking -> the answer
//	asking: For (own endpoints, else the installation's, else none) -> reserve -> ai -> settle
//
// Invariants:
//   - A draft is the result of a task; words and rules are answered at once, within half a minute. Neither of them nor Select writes anything
//     of a funnel: the interface saves what a person accepted.
//   - A draft takes its tokens in ai_ledger before it begins and settles what its calls used. What is not delivered is used, not charged; a
//     draft that dies stops counting when its lease is over.
//   - ai_calls has a row for each request to a model and holds no prompt, no key and no person. ai_news holds what a draft told on its way.
//   - A key is sealed for its workspace and place, is never read back, and does not go along when the address changes. Endpoints of
//     workspaces are reached through the door of package outgoing: no private addresses, no redirects.
package drafts
