// Package wording has a model write the variables of ai_generate for one person, and keeps the operator's bill small:
//
//	written before    ─▶ ai_texts, by a hash of the wish and an HMAC of the values it was written from
//	only approved     ─▶ what a human approved, else the fallbacks: no model is asked
//	no key, or off    ─▶ the fallbacks, and the journal says so
//	somebody is at it ─▶ the lease of the row: one call over all processes, the others come back in a second
//	the day's quota   ─▶ the fallbacks
//	else              ─▶ the model; only a text that can be used is counted
//
// No transaction is open while the model is asked. What nobody writes before the step's deadline becomes the fallback by the engine.
//
// # Ahead of time
//
// A wait that leads to the step has its texts prepared an hour before it ends (engine.Prepare, [Wording.Prepare]): the same row, the same
// lease, so that the person finds the text there. Behind a condition or a split the texts of all ways are prepared as long as they are few. A [Desk] has all texts of a funnel written for the combinations of values that people have
// now, and lets a human read, change, approve and refuse them. Combinations are counted from the people each time; the table holds none of their
// values.
package wording
