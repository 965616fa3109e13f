package why

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// enter says whether the person would enter if a trigger fired now, asking the engine as an event would.
func (a *asked) enter(ctx context.Context, tx store.Tx) (Sentence, bool, error) {
	no := func(reason phrase) (Sentence, bool, error) {
		return say("enter_no", a.zone, map[string]any{"reason": reason}), false, nil
	}
	switch {
	case a.person.Gone:
		return no(part(reasons, "gone", a.zone, nil))
	case a.state == "paused":
		return no(part(reasons, "paused", a.zone, nil))
	case a.state != "live" || a.live == nil:
		return no(part(reasons, "not_live", a.zone, nil))
	case a.live.Plan == nil:
		return no(part(reasons, "broken", a.zone, nil))
	}
	openings := a.live.Plan.Openings()
	if len(openings) == 0 {
		return no(part(reasons, "nothing", a.zone, nil))
	}
	key := facts.Key{Workspace: a.workspace, Contact: a.contact}
	if err := facts.Fill(ctx, tx, map[facts.Key]*facts.Person{key: a.person}, a.live.Needs); err != nil {
		return Sentence{}, false, err
	}
	past, err := a.past(ctx, tx)
	if err != nil {
		return Sentence{}, false, err
	}
	var refusal phrase
	for i, opening := range openings {
		admission := a.live.Plan.Consider(opening, engine.Input{Now: a.now, Contact: a.person.Contact, Zone: a.home})
		reason, refused := a.refusal(admission, past)
		if !refused {
			return say("enter_yes", a.zone, map[string]any{"trigger": opened(opening)}), true, nil
		}
		if i == 0 {
			refusal = reason
		}
	}
	return no(refusal)
}

// refusal says what keeps the person out; an event may bring a key of its own, so the want of one is no reason.
func (a *asked) refusal(admission engine.Admission, past engine.Past) (phrase, bool) {
	switch admission.Refused {
	case "", engine.RefusedKey:
	case engine.RefusedFilter:
		return part(reasons, engine.RefusedFilter, a.zone, map[string]any{"because": because(factsOf(admission.Detail), false)}), true
	case engine.RefusedGoal:
		goal, _ := admission.Detail["goal"].(string)
		return part(reasons, engine.RefusedGoal, a.zone, map[string]any{"goal": phrase(a.live.Plan.TitleOf(goal))}), true
	default:
		return part(reasons, admission.Refused, a.zone, nil), true
	}
	code := admission.Reentry.Refuses(past, a.now, a.zone)
	if code == "" {
		return phrase{}, false
	}
	params := map[string]any{}
	if code == engine.RefusedPause {
		params["until"] = engine.AddDuration(past.Last, *admission.Reentry.Pause, nil, a.zone)
	}
	return part(reasons, code, a.zone, params), true
}

func (a *asked) past(ctx context.Context, tx store.Tx) (past engine.Past, err error) {
	var last *time.Time
	err = tx.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(status IN ('active', 'paused', 'parked')), false), max(ended_at) FROM runs
		WHERE workspace_id = $1 AND contact_id = $2 AND funnel_id = $3`, a.workspace, a.contact, a.funnel).Scan(&past.Any, &past.Inside, &last)
	if err != nil {
		return past, fmt.Errorf("read the runs of a person: %w", err)
	}
	if last != nil {
		past.Last = *last
	}
	return past, nil
}

// factsOf are the comparisons in a decision, fresh from the engine or out of the journal.
func factsOf(detail map[string]any) []fact {
	raw, err := json.Marshal(detail["because"])
	if err != nil {
		return nil
	}
	var facts []fact
	if json.Unmarshal(raw, &facts) != nil {
		return nil
	}
	return facts
}
