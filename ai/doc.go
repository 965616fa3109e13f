// Package ai turns a sentence into a funnel.
//
// Whoever writes the plan, a language model or the built-in planner, writes a [Spec]: blocks of steps without edges,
// positions or texts. [Compile] makes it a bundle, engine.Validate judges the bundle, and what comes out is a proposal: this
// package writes nothing and starts nothing.
//
//	prompt -> read (slots) -> Spec by the model or the planner -> Compile -> engine.Validate -> repair (at most twice) -> copy -> Result
//
// The built-in planner reads a prompt that spells out what happens as a story, clause by clause (telling). Where that leaves a doubt, the
// playbooks and the words of the whole decide (wish).
//
// A change of a funnel goes another way: [Decompile] tells the funnel in the plan's words with the ids of its steps, a model or the
// built-in grammar answers with operations ([Edit]), and [Apply] carries them out on the graph itself, so that steps nobody names stay
// the same to the byte. Operations that touch the same thing form a [Group], which stands or falls by itself ([Select]).
//
// Smaller things go the short way, [Drafter.Words] for the words of one message and [Drafter.Rule] for who a sentence means: one question, what came
// is judged, at most one repair, then the next endpoint, then what is built in.
//
// Invariants:
//   - What can be drawn is what the engine's catalogue has. A kind it lacks becomes a sentence in Result.Assumptions, never a node.
//   - Counts, times, channels and offers that the prompt names are read by code ([Slots]) and checked against the graph, whoever drew it.
//   - An answer names its engine: the model, or "offline". A failure of the model is said in the result, not hidden.
//   - Prompt text and workspace names are data for the model. They cannot add a step kind, an address or an offer.
//   - No clock, no randomness: the same prompt gives the same offline result.
package ai
