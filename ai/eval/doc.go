// Package eval measures drafts against what prompts ask for. A prompt carries a key of what any right answer has ([Must]), written from its
// meaning; [Grade] looks for each of it in the graph and the texts, never in words about them, and follows the graph in virtual time, so that
// the messages and days it reports are those people would see. One failed check fails that check only; [Score] counts checks, prompts,
// outcomes and violations apart.
//
// The package knows nothing of who drew: a planner, a model or a person.
package eval
