package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// What somebody gets next.
const (
	NextMessage = "message"
	NextGoal    = "goal"
	NextEnd     = "end"
	NextStay    = "stay"    // they are still at a step after a while, such as a wait for an event
	NextUnknown = "unknown" // it depends on an answer from outside, or their step failed
)

// Forecast is what one person gets next if nothing else happens to them.
type Forecast struct {
	What, Node, Name string
	At               time.Time
}

// Outlook says what a placement means: what becomes of the stay, and what the person who has been there longest and the one who came
// last get next. It changes nothing and locks nothing.
type Outlook struct {
	Stays engine.Stays // moved to To; "" when there is nowhere to move
	To    string
	Next  []Forecast
}

// Outlooks answers an Outlook per placement. A move without a step goes to the one of the same id and kind, if there is one.
func (r *Runner) Outlooks(ctx context.Context, workspace, funnel uuid.UUID, to *plans.Version, placements []runs.Placement) ([]Outlook, error) {
	return store.InTxV(ctx, r.DB, r.Clock, func(tx store.Tx) ([]Outlook, error) {
		outlooks := make([]Outlook, len(placements))
		for i, p := range placements {
			w := &wake{runner: r, tx: tx, lane: laneBulk, due: tx.Now}
			if err := w.samples(ctx, workspace, funnel, p); err != nil {
				return nil, err
			}
			if len(w.rows) == 0 {
				continue
			}
			var err error
			if outlooks[i], err = w.outlook(ctx, to, p); err != nil {
				return nil, err
			}
		}
		return outlooks, nil
	})
}

// samples reads the first and the last person at the step, with what decides about them.
func (w *wake) samples(ctx context.Context, workspace, funnel uuid.UUID, p runs.Placement) error {
	for _, order := range []string{"ASC", "DESC"} {
		rows, err := w.tx.Query(ctx, readRuns+` AND funnel_id = $2 AND version_id = $3 AND node = $4 AND status IN ('active', 'paused', 'parked')
			ORDER BY coalesce(deadline, wake_at, resume_at, at) `+order+`, id LIMIT 1`, workspace, funnel, p.Version, p.Node)
		if err != nil {
			return fmt.Errorf("look at people inside: %w", err)
		}
		found, err := pgx.CollectRows(rows, scanRow)
		if err != nil {
			return fmt.Errorf("look at people inside: %w", err)
		}
		for _, r := range found {
			if len(w.rows) == 0 || w.rows[0].id != r.id {
				w.rows = append(w.rows, r)
			}
		}
	}
	keys := make([]facts.Key, len(w.rows))
	for i, r := range w.rows {
		keys[i] = r.person()
	}
	var err error
	if w.people, err = facts.Contacts(ctx, w.tx, keys, facts.NoLock); err != nil {
		return err
	}
	for _, load := range []func(context.Context) error{w.loadHouses, w.loadPlans, w.loadSignals, w.loadFacts} {
		if err := load(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *wake) outlook(ctx context.Context, to *plans.Version, p runs.Placement) (Outlook, error) {
	from := w.version(w.rows[0])
	if from == nil || from.Plan == nil || to == nil || to.Plan == nil {
		return Outlook{}, nil
	}
	o := Outlook{To: p.To}
	if o.To == "" && to.Plan.KindOf(p.Node) == from.Plan.KindOf(p.Node) {
		o.To = p.Node
	}
	if o.To != "" && to.Plan.Has(o.To) {
		o.Stays = engine.Carries(from.Plan, p.Node, to.Plan, o.To, !w.rows[0].run.Deadline.IsZero())
	}
	if err := facts.Fill(ctx, w.tx, w.people, to.Needs); err != nil {
		return o, err
	}
	past, err := w.pastEvents(ctx, w.rows[0].workspace, to.Plan.GoalEvents())
	if err != nil {
		return o, err
	}
	p.To = o.To
	for _, r := range w.rows {
		o.Next = append(o.Next, w.forecast(r, from, to, p, past[r.contact]))
	}
	if len(o.Next) == 2 && o.Next[0] == o.Next[1] {
		o.Next = o.Next[:1]
	}
	return o, nil
}

// farthest is how many wakes a forecast looks ahead.
const farthest = 20

// forecast walks one run on until it gets something.
func (w *wake) forecast(r *row, from, to *plans.Version, p runs.Placement, past []engine.Event) Forecast {
	person := w.people[r.person()]
	if person == nil || r.err != nil || p.Do == runs.DoEnd {
		return Forecast{What: NextEnd, At: w.tx.Now}
	}
	plan, run, now := from.Plan, r.run, w.tx.Now
	in := engine.Input{Now: now, Contact: person.Contact, Zone: w.houses[r.workspace].zone}
	in.Contact.Messages = w.sent[facts.RunKey{Workspace: r.workspace, Run: r.id}]
	if p.Do == runs.DoMove && w.carry(r, to, p, MoveArgs{}, past) {
		plan, run = to.Plan, r.out.Run
	}
	if run.Status == engine.Parked {
		return Forecast{What: NextUnknown, Node: run.Node, Name: plan.NameOf(run.Node)}
	}
	if run.Status == engine.Paused {
		run.Status = engine.Active
	}
	for range farthest {
		if run.Status != engine.Active {
			break
		}
		if run.WakeAt.After(in.Now) {
			in.Now = run.WakeAt
		}
		out, err := engine.Advance(plan, run, in)
		if err != nil {
			return Forecast{What: NextUnknown}
		}
		for _, effect := range out.Effects {
			switch e := effect.(type) {
			case engine.SendMessage:
				return Forecast{What: NextMessage, Node: e.Node, Name: plan.NameOf(e.Node), At: e.Due}
			case engine.Call:
				return Forecast{What: NextUnknown, Node: e.Node, Name: plan.NameOf(e.Node), At: e.Due}
			}
		}
		run = out.Run
	}
	switch {
	case run.Status == engine.Active:
		return Forecast{What: NextStay, Node: run.Node, Name: plan.NameOf(run.Node), At: run.WakeAt}
	case run.Goal != "" && run.Status == engine.Done:
		return Forecast{What: NextGoal, Node: run.Goal, Name: plan.NameOf(run.Goal), At: in.Now}
	case run.Status == engine.Parked:
		return Forecast{What: NextUnknown, Node: run.Node, Name: plan.NameOf(run.Node)}
	default:
		return Forecast{What: NextEnd, Node: run.Node, Name: plan.NameOf(run.Node), At: in.Now}
	}
}
