// Package segments keeps live groups of people: a segment is a rule, its members are those the rule is true for, now.
//
//	an event, a change ──▶ events.React ──▶ Move ──┐
//	time alone ──▶ recheck_at ──▶ Sweep ───────────┼──▶ segment_members ──▶ inbox: segment_entered, segment_left
//	a new or edited rule ──▶ Build (a task) ───────┘                        (never from Build, an import, a late event)
//
// Each evaluation in Go also tells the next instant at which time alone may change the answer; it is kept beside the membership and
// the sweep comes back then. Audiences (Count) are asked of the database instead: Write puts the same operator table into SQL.
//
// # Failure
//
// Rows of a person are written under the contact's lock only, in the transaction of whatever changed them, together with the internal
// events that tell of it. So two workers cannot both see somebody enter, and a kill leaves either both or nothing. Build and sweep go
// on from the rows. People who have not been reached by a build count as not looked at: nothing is fired for them.
package segments
