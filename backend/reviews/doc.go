// Package reviews is what several people who work on one funnel need of each other: to ask somebody who may publish, to talk about a
// step, and to see who else is there.
//
//	ask ──▶ open ──approve──▶ approved ──publish──▶ published
//	          │                   │
//	          ├──decline──▶ declined      an edit lapses either: the answer holds for one draft only
//	          └──withdraw, ask anew──▶ withdrawn
//
// Nothing of it is part of a draft or a version: a comment never makes a save stale.
package reviews
