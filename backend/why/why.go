package why

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Where a person stands towards a funnel.
const (
	Inside  = "inside"  // and about to go on, paused or stuck
	Waiting = "waiting" // at a step until something
	Out     = "out"     // was inside once
	Never   = "never"
)

// Explainer answers why. All members are required.
type Explainer struct {
	DB    store.DB
	Clock clock.Source
	Plans *plans.Cache

	People *people.People
}

// Answer is why.
type Answer struct {
	Status   string
	Said     Sentence
	Run      *uuid.UUID // the latest one
	Node     string     // where they are
	NextAt   *time.Time
	Admitted bool // would enter now
	Enter    Sentence
	Barred   []Sentence // why messages of the funnel would not reach them now, and what to do about it
	Steps    []Step
}

// Step is what happened at one step.
type Step struct {
	Node string
	At   time.Time
	Said Sentence
}

// asked is one question with everything known about it.
type asked struct {
	*Explainer

	workspace, contact, funnel uuid.UUID
	now                        time.Time
	zone                       *time.Location
	home                       string
	state                      string
	person                     *facts.Person
	live                       *plans.Version // nil when it was never published
	run                        *run
}

// run is the latest run of the person in the funnel.
type run struct {
	id                           uuid.UUID
	version                      *plans.Version
	node, status                 string
	started                      time.Time
	wake, deadline, ended        *time.Time
	reason, lastError, slot, key string
	goal                         string
}

func (r *run) alive() bool {
	return r.status == "active" || r.status == "paused" || r.status == "parked"
}

// name is what a step is called, as the canvas shows it; its id where this program cannot read the version.
func (r *run) name(node string) phrase {
	if r.version != nil && r.version.Plan != nil {
		if title := r.version.Plan.TitleOf(node); title[0] != "" {
			return phrase(title)
		}
	}
	return phrase{node, node, node}
}

// awaits is the event that a step waits for.
func (r *run) awaits(node string) (phrase, bool) {
	if r.version == nil || r.version.Plan == nil {
		return phrase{}, false
	}
	event, awaits := r.version.Plan.Awaits(node)
	return phrase(event), awaits
}

// Explain answers for one person and one funnel.
func (e *Explainer) Explain(ctx context.Context, workspace, funnel, contact uuid.UUID) (Answer, error) {
	return store.InTxV(ctx, e.DB, e.Clock, func(tx store.Tx) (Answer, error) {
		a := &asked{Explainer: e, workspace: workspace, funnel: funnel, contact: contact, now: tx.Now}
		for _, load := range []func(context.Context, store.Tx) error{a.loadPerson, a.loadFunnel, a.loadRun} {
			if err := load(ctx, tx); err != nil {
				return Answer{}, err
			}
		}
		answer := Answer{Status: Never, Steps: []Step{}}
		if a.run != nil {
			answer.Run, answer.Node = &a.run.id, a.run.node
			answer.Status = Out
			if a.run.alive() {
				answer.Status = Inside
			}
			steps, err := a.steps(ctx, tx)
			if err != nil {
				return Answer{}, err
			}
			answer.Steps = steps
		}
		var err error
		if answer.Said, err = a.said(ctx, tx, &answer); err != nil {
			return Answer{}, err
		}
		if answer.Enter, answer.Admitted, err = a.enter(ctx, tx); err != nil {
			return Answer{}, err
		}
		answer.Barred, err = a.barred(ctx, tx)
		return answer, err
	})
}

func (a *asked) loadPerson(ctx context.Context, tx store.Tx) error {
	key := facts.Key{Workspace: a.workspace, Contact: a.contact}
	people, err := facts.Contacts(ctx, tx, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return err
	}
	if a.person = people[key]; a.person == nil {
		return fault.New(fault.NotFound, "There is no such person.")
	}
	return nil
}

func (a *asked) loadFunnel(ctx context.Context, tx store.Tx) error {
	var live *uuid.UUID
	err := tx.QueryRow(ctx, `SELECT f.state, f.live_version, w.zone FROM funnels f JOIN workspaces w ON w.id = f.workspace_id
		WHERE f.workspace_id = $1 AND f.id = $2`, a.workspace, a.funnel).Scan(&a.state, &live, &a.home)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no funnel %s.", a.funnel)
	}
	if err != nil {
		return fmt.Errorf("read funnel %s: %w", a.funnel, err)
	}
	a.zone = engine.ZoneOf(a.person.Zone, a.home)
	if live == nil {
		return nil
	}
	a.live, err = a.version(ctx, tx, *live)
	return err
}

func (a *asked) version(ctx context.Context, tx store.Tx, id uuid.UUID) (*plans.Version, error) {
	key := plans.Key{Workspace: a.workspace, Version: id}
	found, err := a.Plans.Get(ctx, tx, []plans.Key{key})
	return found[key], err
}

func (a *asked) loadRun(ctx context.Context, tx store.Tx) error {
	var r run
	var version uuid.UUID
	err := tx.QueryRow(ctx, `SELECT id, version_id, node, status, started_at, wake_at, deadline, ended_at, coalesce(end_reason, ''), coalesce(last_error, ''),
			coalesce(slot, ''), coalesce(key, ''), goal
		FROM runs WHERE workspace_id = $1 AND contact_id = $2 AND funnel_id = $3
		ORDER BY status IN ('active', 'paused', 'parked') DESC, started_at DESC, id DESC LIMIT 1`, a.workspace, a.contact, a.funnel).
		Scan(&r.id, &version, &r.node, &r.status, &r.started, &r.wake, &r.deadline, &r.ended, &r.reason, &r.lastError, &r.slot, &r.key, &r.goal)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the run of a person: %w", err)
	}
	a.run = &r
	r.version, err = a.version(ctx, tx, version)
	return err
}

// said is the main sentence.
func (a *asked) said(ctx context.Context, tx store.Tx, answer *Answer) (Sentence, error) {
	r := a.run
	switch {
	case a.person.Gone:
		return say("gone", a.zone, nil), nil
	case r == nil:
		return a.kept(ctx, tx)
	case !r.alive():
		at := r.started
		if r.ended != nil {
			at = *r.ended
		}
		return say("ended", a.zone, map[string]any{"at": at, "reason": part(reasons, r.reason, a.zone, nil)}), nil
	case r.status == "parked":
		return say("parked", a.zone, map[string]any{"step": r.name(r.node), "error": r.lastError}), nil
	case r.status == "paused" || a.state == "paused":
		return say("paused", a.zone, map[string]any{"step": r.name(r.node)}), nil
	}
	if held := a.held(answer.Steps); held != nil {
		answer.NextAt = timeIn(held.Said.Params, "until")
		if r.deadline == nil || answer.NextAt != nil && answer.NextAt.Before(*r.deadline) {
			answer.Status = Waiting
			return held.Said, nil
		}
	}
	answer.NextAt = r.wake
	if r.deadline == nil || !r.deadline.After(a.now) {
		return say("due", a.zone, map[string]any{"step": r.name(r.node)}), nil
	}
	answer.Status, answer.NextAt = Waiting, r.deadline
	params := map[string]any{"step": r.name(r.node), "until": *r.deadline}
	if r.version == nil || r.version.Plan == nil {
		return say("waits_last", a.zone, params), nil
	}
	plan := r.version.Plan
	if event, awaits := r.awaits(r.node); awaits {
		params["event"] = event
		return say("waits_event", a.zone, params), nil
	}
	switch next := plan.NextOf(r.node); {
	case plan.KindOf(r.node) != "wait":
		return say("waits_answer", a.zone, params), nil
	case plan.Until(r.node):
		return say("waits_for", a.zone, params), nil
	case next == "":
		return say("waits_last", a.zone, params), nil
	default:
		params["next"] = r.name(next)
		return say("waits_until", a.zone, params), nil
	}
}

// held is the last step whose message has still to leave.
func (a *asked) held(steps []Step) *Step {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Said.Code == "message_held" {
			return &steps[i]
		}
	}
	return nil
}

func timeIn(params map[string]any, key string) *time.Time {
	if at, ok := params[key].(time.Time); ok {
		return &at
	}
	return nil
}

// kept says why somebody never came in: by the last event that was refused.
func (a *asked) kept(ctx context.Context, tx store.Tx) (Sentence, error) {
	var at time.Time
	var reaction []byte
	looked := fmt.Sprintf(`{"refused": [{"funnel": %q}]}`, a.funnel)
	err := tx.QueryRow(ctx, `SELECT received_at, reaction FROM events WHERE workspace_id = $1 AND contact_id = $2 AND reaction @> $3::jsonb
		ORDER BY at DESC LIMIT 1`, a.workspace, a.contact, looked).Scan(&at, &reaction)
	if errors.Is(err, pgx.ErrNoRows) {
		return say("never", a.zone, nil), nil
	}
	if err != nil {
		return Sentence{}, fmt.Errorf("look for what kept a person out: %w", err)
	}
	var said struct {
		Refused []struct {
			Funnel uuid.UUID `json:"funnel"`
			Why    string    `json:"why"`
		} `json:"refused"`
	}
	if err := json.Unmarshal(reaction, &said); err != nil {
		return Sentence{}, fmt.Errorf("read what kept a person out: %w", err)
	}
	for _, refusal := range said.Refused {
		if refusal.Funnel == a.funnel {
			return say("refused", a.zone, map[string]any{"at": at, "reason": a.bare(refusal.Why)}), nil
		}
	}
	return say("never", a.zone, nil), nil
}

// bare is a reason without the values that decided then, which the event did not keep.
func (a *asked) bare(code string) phrase {
	if code == engine.RefusedFilter || code == engine.RefusedGoal {
		code += "_then"
	}
	return part(reasons, code, a.zone, nil)
}
