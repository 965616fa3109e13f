// Package wording has a model write the variables of ai_generate for one person, and keeps the operator's bill small:
//
//	no key            ─▶ the fallbacks, and the journal says so
//	written before    ─▶ ai_texts, by a hash of the wish and an HMAC of the values it was written from
//	somebody is at it ─▶ the lease of the row: one call over all processes, the others come back in a second
//	the day's quota   ─▶ the fallbacks
//	else              ─▶ the model; only a text that can be used is counted
//
// No transaction is open while the model is asked. What nobody writes before the step's deadline becomes the fallback by the engine.
package wording
